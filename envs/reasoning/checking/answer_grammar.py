r"""The grammar of answers: expressions, and what is built from them.

answer    = statement {"," statement}
statement = side {"=" side}
side      = sum {"∪" sum}
bracket   = ("(" | "[" | "{" | "\{") [answer] (")" | "]" | "}" | "\}")
matrix    = "begin" sum {("&" | "\\") sum} "end"
"""

from collections.abc import Sequence

from zerogym.envs.reasoning.checking.expression_grammar import ExpressionParser
from zerogym.envs.reasoning.checking.nodes import Node, operand
from zerogym.envs.reasoning.checking.tokens import AnswerSyntaxError, Token

_LONGEST_SIGNATURE = 12  # tokens of `f(x, y) =`
_CLOSINGS = {"(": (")", "]"), "[": (")", "]"), "{": ("}",), "{set": ("set}",)}


def parse_tokens(tokens: Sequence[Token]) -> Node:
    """The tree of an answer.

    With `±` it is a list: all with the upper signs, then all with the lower ones.

    Raises:
        AnswerSyntaxError: If it is not in the grammar, or is nested too deep.
    """
    if any(token.text in ("±", "∓") for token in tokens):
        signs = Token("sign", "+"), Token("sign", "-")
        choices = [dict(zip("±∓", pair, strict=True)) for pair in (signs, signs[::-1])]
        both = [_parse([choice.get(t.text, t) for t in tokens]) for choice in choices]
        return Node("list", tuple(both))
    return _parse(tokens)


def _parse(tokens: Sequence[Token]) -> Node:
    parser = AnswerParser(tokens)
    statements = parser.statements()
    if parser.kind != "end":
        raise AnswerSyntaxError(f"unexpected {parser.text!r}")
    return statements[0] if len(statements) == 1 else Node("list", statements)


class AnswerParser(ExpressionParser):
    """Adds lists, sets, unions, matrices and equations."""

    def statements(self) -> tuple[Node, ...]:
        return self.chain(self.statement, ",")

    def statement(self) -> Node:
        name = self.function_name()
        if name is None:
            sides = self.chain(self.side, "=")
        else:
            self.expect("=")
            sides = (name, *self.chain(self.side, "="))
        return sides[0] if len(sides) == 1 else Node("equation", sides)

    def function_name(self) -> Node | None:
        """`f(x)` or `P(A)` to the left of an equals sign names a value."""
        if self.kind != "symbol":
            return None
        here = self.tokens[self.position : self.position + _LONGEST_SIGNATURE]
        texts = [token.text for token in here]
        if texts[1] != "(" or ")" not in texts:
            return None
        end = texts.index(")") + 1
        simple = all(t.kind in ("symbol", "number") or t.text == "," for t in here[2 : end - 1])
        if not simple or texts[end : end + 1] != ["="]:
            return None
        self.position += end - 1
        self.advance()
        return Node("symbol", text="".join(texts[:end]))

    def side(self) -> Node:
        parts = [self.sum()]
        while self.sees("∪") or (self.text == "U" and parts[0].kind == "list"):
            self.advance()
            parts.append(self.sum())
        return parts[0] if len(parts) == 1 else Node("union", tuple(parts))

    def bracket(self, opened: str) -> Node:
        if opened == "∅":
            return Node("set")
        if opened == "begin":
            return self.matrix()
        if opened not in _CLOSINGS:
            raise AnswerSyntaxError(f"unexpected {opened!r}")
        bars, self.bars = self.bars, 0
        items = () if self.sees(*_CLOSINGS[opened]) else self.deeper(self.statements)
        self.bars = bars
        closed = self.expect(*_CLOSINGS[opened])
        if opened in ("{", "{set"):
            return Node("set", items, opened)
        if opened + closed == "()" and len(items) == 1:
            return items[0]
        return Node("list", items, opened + closed)

    def matrix(self) -> Node:
        rows = [self.row()]
        while self.takes("\\\\"):
            if not self.sees("end"):  # a break after the last row
                rows.append(self.row())
        self.expect("end")
        if len({len(row.parts) for row in rows}) > 1:
            raise AnswerSyntaxError("the rows of a matrix are not equally long")
        return Node("matrix", tuple(rows))

    def row(self) -> Node:
        return Node("list", self.chain(lambda: operand(self.deeper(self.sum)), "&"))
