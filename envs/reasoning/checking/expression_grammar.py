r"""The grammar of expressions: tokens in, a tree out, nothing calculated.

    sum       = product {("+" | "-") product}
    product   = factor {["*" | "/"] factor}          a missing sign multiplies
    factor    = {"+" | "-"} power
    power     = postfix ["^" factor]
    postfix   = primary ["!"] ["%" | "°"]
    primary   = number | symbol | function argument | "|" sum "|" | bracket | \frac ...

Refused, since readers differ: `1 2`, `x2` and `(x+1)2` (a number after something, but for mixed
numbers: `1 1/2`, `1\frac12`), `1/2x` (the sign is missing after a slash), `\sin x/2` (but
`\sin x / \cos x` is a quotient), `\sqrt12`. At most `MAX_DEPTH` brackets deep.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeVar

from zerogym.envs.reasoning.checking.nodes import ONE, Node, call_of, operand, power_of, product_of
from zerogym.envs.reasoning.checking.tokens import AnswerSyntaxError, Kind, Token

MAX_DEPTH = 25
_DEGREE = Node("quotient", (Node("symbol", text="pi"), Node("number", number=180)))
_PERCENT = Node("number", number=Fraction(1, 100))
_POSTFIXES = {"%": _PERCENT, "°": _DEGREE}  # what they multiply with

ParsedT = TypeVar("ParsedT")


class ExpressionParser(ABC):
    """Recursive descent; `kind`, `text` and `number` are of the next token."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens, self.position, self.depth, self.bars = tokens, 0, 0, 0
        self.kind: Kind
        self.kind, self.text, self.number = tokens[0]

    @abstractmethod
    def bracket(self, opened: str) -> Node:
        """Parse the content of a bracket and the closing one."""

    def advance(self) -> str:
        text = self.text
        self.position += 1
        self.kind, self.text, self.number = self.tokens[self.position]
        return text

    def sees(self, *signs: str) -> bool:
        return self.kind == "sign" and self.text in signs

    def takes(self, *signs: str) -> bool:
        """Advance over one of these signs, if the next token is one."""
        found = self.sees(*signs)
        if found:
            self.advance()
        return found

    def chain(self, parse: Callable[[], Node], *signs: str) -> tuple[Node, ...]:
        """Parse what these signs separate."""
        found = [parse()]
        while self.takes(*signs):
            found.append(parse())
        return tuple(found)

    def expect(self, *signs: str) -> str:
        if not self.sees(*signs):
            raise AnswerSyntaxError(f"expected one of {signs}, not {self.text!r}")
        return self.advance()

    def deeper(self, parse: Callable[[], ParsedT]) -> ParsedT:
        """Parse one level deeper; AnswerSyntaxError below `MAX_DEPTH`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise AnswerSyntaxError("nested too deep")
        found = parse()
        self.depth -= 1
        return found

    def sum(self) -> Node:
        terms = [self.product()]
        while self.sees("+", "-"):
            negative = self.advance() == "-"
            term = operand(self.product())
            terms.append(Node("negative", (term,)) if negative else term)
        return terms[0] if len(terms) == 1 else Node("sum", (operand(terms[0]), *terms[1:]))

    def product(self) -> Node:
        factors, divisors, divided = [self.factor()], list[Node](), False
        while True:
            if self.sees("*", "/"):
                divided = self.advance() == "/"
                (divisors if divided else factors).append(self.factor())
            elif self.starts_a_factor() and factors[0].kind != "list":  # (0, 1] U [2, 3)
                if divided:
                    raise AnswerSyntaxError("what is below the slash is not clear")
                factors.append(self.power())
            else:
                break
        top = product_of(factors)
        if not divisors:
            return top
        return Node("quotient", (operand(top), operand(product_of(divisors))))

    def starts_a_factor(self) -> bool:
        if self.kind in ("symbol", "function"):
            return True
        return self.sees("(", "{", "\\frac", "\\binom") or (self.sees("|") and not self.bars)

    def factor(self) -> Node:
        negative = False
        while self.sees("+", "-"):
            negative ^= self.advance() == "-"
        value = self.power()
        return Node("negative", (operand(value),)) if negative else value

    def power(self) -> Node:
        base = self.postfix()
        return power_of(operand(base), self.exponent()) if self.takes("^") else base

    def exponent(self) -> Node:
        return operand(self.deeper(self.factor))

    def postfix(self) -> Node:
        result = self.primary()
        if self.takes("!"):
            result = Node("call", (operand(result),), "factorial")
        if self.sees("%", "°"):
            result = product_of((result, _POSTFIXES[self.advance()]))
        return result

    def primary(self) -> Node:
        if self.kind == "number":
            return self.numeral()
        if self.kind == "symbol":
            return self.symbol()
        if self.kind == "function":
            return self.function()
        if self.kind != "sign":
            raise AnswerSyntaxError("something is missing")
        opened = self.advance()
        if opened == "|":
            return self.absolute()
        if opened == "\\frac":
            return Node("quotient", (self.argument(), self.argument()))
        if opened == "\\binom":
            return Node("call", (self.argument(), self.argument()), "binomial")
        return self.bracket(opened)

    def absolute(self) -> Node:
        self.bars += 1
        inside = self.enclosed("|")
        self.bars -= 1
        return Node("call", (inside,), "abs")

    def numeral(self) -> Node:
        whole, start = self.number, self.position
        if not self.advance().isdigit() or not (self.kind == "number" or self.sees("\\frac")):
            return Node("number", number=whole)
        part = self.proper_fraction()
        if part is not None:
            return Node("number", number=whole + part)
        if self.tokens[start + 1].kind == "number":
            raise AnswerSyntaxError("two numbers side by side")
        self.position = start
        self.advance()
        return Node("number", number=whole)

    def proper_fraction(self) -> Fraction | None:
        r"""The second part of a mixed number, `1/2` or `\frac{1}{2}`, if there is one."""
        if self.takes("\\frac"):
            top, bottom = self.argument(), self.argument()
        else:
            top = self.whole_number()
            if not self.takes("/") or self.kind != "number":
                return None
            bottom = self.whole_number()
        numbers = top.number, bottom.number
        if top.kind != "number" or bottom.kind != "number" or not 0 < numbers[0] < numbers[1]:
            return None
        whole = numbers[0].denominator == numbers[1].denominator == 1
        return Fraction(*numbers) if whole else None

    def whole_number(self) -> Node:
        """The next number alone, with its digits as they stand."""
        value = self.number
        self.advance()
        return Node("number", number=value)

    def symbol(self) -> Node:
        name = self.advance()
        return Node("symbol", text=f"{name}_{self.subscript()}" if self.takes("_") else name)

    def subscript(self) -> str:
        if not self.takes("{"):
            if self.kind not in ("number", "symbol"):
                raise AnswerSyntaxError("no subscript")
            return self.advance()
        text = ""
        while self.kind in ("number", "symbol") or self.sees(",", "+", "-"):
            text += self.advance()
        self.expect("}")
        return text

    def enclosed(self, closing: str) -> Node:
        """Parse a sum and the sign that closes it."""
        inside = operand(self.deeper(self.sum))
        self.expect(closing)
        return inside

    def argument(self) -> Node:
        """Parse the argument of a LaTeX command: a group, or the next single character."""
        if self.takes("{"):
            return self.enclosed("}")
        if self.kind == "number" and self.text.isdigit():
            first, rest = int(self.text[0]), self.text[1:]
            if rest:
                self.text, self.number = rest, int(rest)
            else:
                self.advance()
            return Node("number", number=first)
        if self.kind == "symbol":
            return Node("symbol", text=self.advance())
        raise AnswerSyntaxError(f"no argument: {self.text!r}")

    def function(self) -> Node:
        name = self.advance()
        if name == "sqrt":
            return self.root()
        base = self.base_of_logarithm() if name == "log" and self.sees("_") else None
        exponent = self.exponent() if self.takes("^") else None
        argument = self.function_argument()
        if exponent == Node("negative", (ONE,)):
            if base is not None or name not in ("sin", "cos", "tan"):
                raise AnswerSyntaxError(f"which function {name}^-1 is is not clear")
            return call_of("arc" + name, argument)
        if base is None:
            value = call_of(name, argument)
        else:
            value = Node("quotient", (call_of("ln", argument), call_of("ln", base)))
        return value if exponent is None else power_of(value, exponent)

    def base_of_logarithm(self) -> Node:
        self.advance()
        return self.whole_number() if self.kind == "number" else self.argument()

    def root(self) -> Node:
        degree = self.enclosed("]") if self.takes("[") else None
        if self.kind == "number" and len(self.text) > 1:
            raise AnswerSyntaxError("how far the root goes is not clear")
        radicand = operand(self.deeper(self.primary))
        if degree is None:
            return call_of("sqrt", radicand)
        return power_of(radicand, Node("quotient", (ONE, degree)))

    def function_argument(self) -> Node:
        """A bracket or group, or what follows up to a sign or another function."""
        if self.sees("(", "{", "|"):
            return operand(self.primary())
        factors = [operand(self.deeper(self.power))]
        while self.kind == "symbol" or self.sees("\\frac"):
            factors.append(operand(self.power()))
        quotient = self.sees("/") and self.tokens[self.position + 1].kind == "function"
        if self.sees("/", "(") and not quotient:
            raise AnswerSyntaxError("how far the function's argument goes is not clear")
        return product_of(factors)
