"""What a suite of script/peers found, and its tables."""

import numpy as np


class Suite:
    """Cases of one peer's suite: passed, failed with why, excluded with why."""

    def __init__(self, name, bound, unit=""):
        self.name, self.bound, self.unit = name, bound, unit
        self.passed, self.failed, self.excluded = [], [], []
        self.largest, self.where = 0.0, ""
        self.notes = []  # for docs/peers.md

    def check(self, case, ours, theirs, *, rtol=0.0, atol=0.0):
        """Counts a case as passed where |ours - theirs| <= atol + rtol |theirs| for each number; NaN only where theirs is."""
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        if ours.shape != theirs.shape:
            self.failed.append((case, f"expected the shape {theirs.shape}, found {ours.shape}"))
            return False
        single = all(x.dtype in (np.float16, np.float32) for x in (ours, theirs))  # whose differences are as good in float32
        ours, theirs = (x.astype(np.float32 if single else np.float64, copy=False) for x in (ours, theirs))
        with np.errstate(invalid="ignore"):
            difference = np.abs(ours - theirs)
        if not np.isfinite(difference.sum()):
            difference = np.where((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)), 0.0, difference)
            difference = np.where(np.isnan(difference), np.inf, difference)
        largest = float(difference.max(initial=0.0))
        if largest > self.largest:
            self.largest, self.where = largest, case
        excess = difference > (atol + rtol * np.abs(theirs) if rtol else atol)
        if excess.any():
            at = tuple(int(index) for index in np.argwhere(excess)[0])
            self.failed.append((case, f"expected {theirs[at]:.9g} at {list(at)}, found {ours[at]:.9g}"))
            return False
        self.passed.append(case)
        return True

    def fail(self, case, why):
        self.failed.append((case, why))

    def exclude(self, case, why):
        self.excluded.append((case, why))

    def row(self):
        largest = f"{self.largest:.2g}{self.unit} ({self.where})" if self.largest else "0"
        cases = len(self.passed) + len(self.failed) + len(self.excluded)
        return [self.name, str(cases), str(len(self.passed)), str(len(self.failed)), str(len(self.excluded)), largest, self.bound]


def by_reason(cases):
    """Cases of each reason, in the order in which reasons first come."""
    reasons = {}
    for case, why in cases:
        reasons.setdefault(why, []).append(case)
    return reasons


HEAD = ["suite", "cases", "passed", "failed", "excluded", "largest difference", "bound"]


def plain_table(suites):
    rows = [HEAD] + [suite.row() for suite in suites]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def markdown_table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines)
