"""Pictures of mechanisms: pages that move, and schemes for papers."""

from .document import page
from .film import save_film
from .scene import scene
from .scheme import save_svg, svg
from .show import View, save_html, show

__all__ = ["View", "page", "save_film", "save_html", "save_svg", "scene", "show", "svg"]
