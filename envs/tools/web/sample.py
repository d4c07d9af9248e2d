"""The templates by name, and the draw of a site."""

from dataclasses import replace

import numpy as np

from zerogym.envs.tools.web.browser import Browser
from zerogym.envs.tools.web.site import Site
from zerogym.envs.tools.web.templates.accounts import Login, Wizard
from zerogym.envs.tools.web.templates.dates import Calendar, Flights
from zerogym.envs.tools.web.templates.forms import Checkboxes, Dropdowns, FillForm, Survey
from zerogym.envs.tools.web.templates.lists import Pages, Search
from zerogym.envs.tools.web.templates.settings import Settings, Tabs
from zerogym.envs.tools.web.templates.shops import Basket, Shop
from zerogym.envs.tools.web.templates.tables import Compare, Table
from zerogym.envs.tools.web.templates.texts import Articles, Forum, Inbox
from zerogym.envs.tools.web.words import pick

_ALL = (
    FillForm, Dropdowns, Survey, Checkboxes, Login, Wizard, Settings, Tabs, Search, Table, Pages,
    Compare, Shop, Basket, Calendar, Flights, Inbox, Articles, Forum,
)  # fmt: skip
TEMPLATES = {template.category: template for template in _ALL}
MAX_ELEMENTS = 200


def sample_site(
    rng: np.random.Generator,
    difficulty: float,
    category: str | None = None,
    elements: int = 0,
    posed: float = 1.0,
) -> Site:
    """Draw a site; sound ones only.

    Args:
        rng: The source of randomness.
        difficulty: A number >= 0: longer lists and tasks of more steps.
        category: The template, by name; None draws one.
        elements: The least number of links, buttons and fields on the first page; links that have
            nothing to do with the task make up for what is missing.
        posed: The share of the instruction's parts that is posed, above 0, at most 1.
    """
    template = TEMPLATES[pick(rng, tuple(TEMPLATES)) if category is None else category]
    site: Site = template.sample(rng, difficulty)
    while not site.is_sound():
        site = template.sample(rng, difficulty)
    site = site.shortened(posed)
    missing = elements - len(Browser.of(site).page.elements) if elements else 0
    return replace(site, fillers=max(0, missing))
