class Error(ValueError):
    """The one exception of ropewalk's own, a ValueError. The message names the file, key, argument or array, what was expected and
    what was found."""

    #: "invalid_argument", "out_of_range", "malformed", "unsupported", "io", "resource_limit" or "internal"
    code: str = ""

    def __init__(self, message, code="invalid_argument"):
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        return type(self), (*self.args, self.code)


Error.__module__ = "ropewalk"  # where users find it
