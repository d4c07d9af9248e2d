"""The quick check of arguments against a schema gives the validator's answer."""

import itertools

import pytest
from jsonschema import Draft202012Validator

from helpers.tool_episodes import Python
from zerogym.envs.tools.calls import Call, Malformed, get_format
from zerogym.envs.tools.calls.arguments import problem_with

PROPERTIES = (
    {"type": "string"}, {"type": "string", "minLength": 1, "maxLength": 3}, {"type": "integer"},
    {"type": "integer", "minimum": 1, "maximum": 3}, {"type": "number", "minimum": 0.5},
    {"type": "boolean"}, {"enum": ["a", "b"]}, {"enum": [1, 0, None]}, {"enum": ["a", 1, True]},
    {"type": ["string", "null"]}, {"type": "string", "pattern": "^a"}, 
    {"type": "boolean", "enum": [1]},
    {"type": "integer", "multipleOf": 2}, {"type": "string", "const": "a"}, {"type": "array"}, {},
    {"type": "integer", "exclusiveMinimum": 1}, {"type": "number", "minLength": 9}, {"minimum": 2},
)  # fmt: skip
VALUES = ("", "a", "abcd", "ba", 0, 1, 2, 5, -1, 1.0, 2.5, 0.1, True, False, None, [], {}, ["a"])
RESTS = (
    {"required": ["x"], "additionalProperties": False},
    {"additionalProperties": False},
    {"required": ["x"]},
    {"required": ["x", "y"], "additionalProperties": False},
    {"required": ["x"], "additionalProperties": False, "minProperties": 2},
    {"required": ["x"], "additionalProperties": False, "anyOf": [{"required": ["y"]}]},
)


class Made(Python):
    """A tool with a schema of its own."""

    def __init__(self, schema):
        self.parameters = {"type": "object"} | schema


def test_the_quick_answer_is_the_validators():
    fits = 0
    for rule, rest in itertools.product(PROPERTIES, RESTS):
        tool = Made({"properties": {"x": rule, "y": {"type": "integer"}}} | rest)
        validator = Draft202012Validator(tool.parameters)
        arguments = [{}, {"z": 1}, *({"x": value} for value in VALUES)]
        arguments += [{"x": value, "y": other} for value in VALUES for other in (1, "1")]
        for given in arguments:
            fit = validator.is_valid(given)
            assert (problem_with(tool, given) == "") == fit, (tool.parameters, given)
            fits += fit
    assert fits > 500


@pytest.mark.parametrize("format", ["tag", "fence", "json"])
def test_a_single_argument_may_be_a_number(format):
    tool = Made({"properties": {"code": {"type": "integer"}}, "required": ["code"]})
    tools, written = {tool.name: tool}, get_format(format).write(tool, {"code": -12})
    assert get_format(format).find(written, tools) == [Call("python", {"code": -12})]


def test_the_text_of_a_tag_is_read_as_a_number_where_one_is_needed():
    tool = Made({"properties": {"code": {"type": "integer"}}, "required": ["code"]})
    tools, tags = {tool.name: tool}, get_format("tag")
    assert tags.write(tool, {"code": 7}) == "<python>7</python>"
    assert tags.find('<python>{"code": 7}</python>', tools) == [Call("python", {"code": 7})]
    (wrong,) = tags.find("<python>seven</python>", tools)
    assert wrong == Malformed("python: argument 'code' must be of type integer, not \"seven\"")
