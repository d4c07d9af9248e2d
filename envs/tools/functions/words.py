"""The words of generated databases: kinds of things, attributes, and invented names."""

from functools import lru_cache

from zerogym.envs.tools.functions.draws import Draws

THINGS = (  # in singular and plural
    ("ship", "ships"), ("mill", "mills"), ("guild", "guilds"), ("tower", "towers"),
    ("bridge", "bridges"), ("orchard", "orchards"), ("forge", "forges"), ("harbor", "harbors"),
    ("chapel", "chapels"), ("theater", "theaters"), ("garden", "gardens"), ("museum", "museums"),
    ("railway", "railways"), ("vineyard", "vineyards"), ("quarry", "quarries"),
    ("bakery", "bakeries"), ("factory", "factories"), ("castle", "castles"), ("ferry", "ferries"),
    ("farm", "farms"), ("library", "libraries"), ("canal", "canals"), ("brewery", "breweries"),
    ("studio", "studios"), ("market", "markets"),
)  # fmt: skip
NUMBERS = (
    "age", "weight", "height", "income", "budget", "capacity", "length", "depth", "debt", "stock",
    "staff", "area", "output", "rent", "value",
)  # fmt: skip
LABELS = {
    "color": ("red", "blue", "green", "black", "white"),
    "grade": ("gold", "silver", "bronze"),
    "season": ("spring", "summer", "autumn", "winter"),
    "region": ("north", "south", "east", "west"),
    "material": ("wood", "steel", "stone", "glass"),
    "license": ("open", "limited", "expired"),
}
LINKS = ("partner", "supplier", "sponsor", "neighbor", "rival", "founder", "owner", "keeper")
_SOUNDS = (
    "b br d dr f g gl h k kr l m n p pl r s st t tr v z",
    "a e i o u ae ei ou",
    "l n r s t m nd rk lm sk",
)
_ONSETS, _VOWELS, _CODAS = (tuple(sounds.split()) for sounds in _SOUNDS)


@lru_cache(maxsize=1)
def _pool() -> tuple[str, ...]:
    starts = [onset + vowel for onset in _ONSETS for vowel in _VOWELS]
    ends = [vowel + coda for vowel in _VOWELS[:5] for coda in _CODAS]
    return tuple((start + "bdgklmnrtv"[i % 10] + end).title()
                 for i, start in enumerate(starts) for end in ends)  # fmt: skip


def sample_names(draws: Draws, count: int) -> list[str]:
    """Return different invented names of 5 to 9 letters, `count` at most some thousand."""
    pool = _pool()
    # A walk of random step through a pool of prime length visits no name twice.
    size = 8783
    place, step = draws.between(0, size - 1), draws.between(1, size - 1)
    return [pool[(place + step * i) % size] for i in range(count)]
