"""The words, commands and characters of mathematical text, and what each stands for."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS = _words(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log exp sqrt abs"
)
NAMES = {
    "inf": "infinity", "oo": "infinity", "infty": "infinity", "or": ",", "and": ",",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan",
}  # fmt: skip
WRAPPERS = _words(
    "text textbf textit textrm mathrm mathbf mathit mathsf operatorname mbox boxed fbox"
)
LAYOUT = _words("left right big Big bigl bigr Bigl Bigr displaystyle textstyle quad qquad limits")
COMMANDS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "cup": "∪", "in": "=", "pm": "±",
    "mp": "∓", "lvert": "|", "rvert": "|", "vert": "|", "frac": "\\frac", "dfrac": "\\frac",
    "tfrac": "\\frac", "cfrac": "\\frac", "binom": "\\binom", "dbinom": "\\binom",
    "degree": "°", "emptyset": "∅", "varnothing": "∅", "lbrack": "[", "rbrack": "]",
    "lbrace": "{set", "rbrace": "set}",
}  # fmt: skip
GREEK = _words(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega varepsilon "
    "vartheta varphi ell"
)
CHARACTERS = {
    "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/", "−": "-", "–": "-",
    "∪": "∪", "∈": "=", "±": "±", "∓": "∓", "°": "°", "∅": "∅", ";": ",",
}  # fmt: skip
LETTERS = {
    "π": "pi", "∞": "infinity", "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta",
    "ε": "epsilon", "θ": "theta", "λ": "lambda", "μ": "mu", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "φ": "phi", "ω": "omega", "Δ": "Delta", "Ω": "Omega", "€": "€", "£": "£",
}  # fmt: skip
