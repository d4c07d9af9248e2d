"""The typical slip with letters: two neighbours change places.

For worked solutions with letters where others have numbers. Left out: doubled and lost letters.
"""

import re

import numpy as np

from zerogym.envs.reasoning.draws import pick

_LAST_WORD = re.compile(r"[a-z]{2,}$", re.MULTILINE)


def swap_letters(solution: str, rng: np.random.Generator) -> str | None:
    """The solution up to a random line, in whose last word two neighbours are exchanged.

    None if no line ends in a word with two different letters side by side.

    Example:
        >>> swap_letters("Forwards: t e a\\nTogether: aet", np.random.default_rng(0))
        'Forwards: t e a\\nTogether: ate'
    """
    places = [
        at
        for word in _LAST_WORD.finditer(solution)
        for at in range(word.start(), word.end() - 1)
        if solution[at] != solution[at + 1]
    ]
    if not places:
        return None
    at = pick(rng, places)
    rest_of_line = solution[at + 2 :].partition("\n")[0]
    return solution[:at] + solution[at + 1] + solution[at] + rest_of_line
