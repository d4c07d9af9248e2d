from .answers import extract_answer, parse_number
from .core import Problem, ReasoningEnv
from .numerals import parse_integer

__all__ = [
    "Problem",
    "ReasoningEnv",
    "extract_answer",
    "parse_integer",
    "parse_number",
]
