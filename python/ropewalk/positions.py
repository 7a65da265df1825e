"""Position ids: of padded and packed batches, of text with images, of images, of ChatGLM-6B."""

from ._ropewalk import positions_chatglm as chatglm
from ._ropewalk import positions_from_mask as from_mask
from ._ropewalk import positions_grid as grid
from ._ropewalk import positions_mrope as mrope
from ._ropewalk import positions_packed as packed

__all__ = ["chatglm", "from_mask", "grid", "mrope", "packed"]
