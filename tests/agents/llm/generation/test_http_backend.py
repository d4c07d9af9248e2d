"""Models of a server as engines: what is sent, what is recorded, and what breaks how."""

import json
import math
from pathlib import Path

import gymnasium as gym
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.model_server import Answer, FakeServer, Request, message, serving

pytest.importorskip("httpx2")

from zerogym.agents.llm.generation.character_tokenizer import CharacterTokenizer
from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.http_backend import MessageServer, TokenServer, connect
from zerogym.agents.llm.generation.protocol import Generator, Sampling, row_seeds
from zerogym.agents.llm.models.endpoints import Server
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.policy import LLMPolicy
from zerogym.agents.llm.rollout.chat_template import make_chat
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Player
from zerogym.agents.llm.rollout.evaluation import evaluate
from zerogym.agents.llm.rollout.runner import rollout
from zerogym.errors import EngineFailed, ModelNotFound, ServerDown

QUICK = "backoff=0.001&retries=1&timeout=5"


def engine(server: FakeServer, **settings) -> MessageServer:
    return MessageServer(Server(server.address, "m", backoff=0.001, retries=1, **settings))


def said(request: Request) -> list[tuple[str, str]]:
    return [(each["role"], each["content"]) for each in request.body["messages"]]


def test_a_conversation_goes_out_as_the_messages_it_was():
    with serving(lambda request: message(f"reply {len(said(request))}")) as server:
        policy = LLMPolicy(engine(server), Sampling(9, 0.5, top_p=0.9, seed=3), system="Be brief.")
        replies, state = policy.predict(["first", "erst"])
        assert replies == ["reply 2", "reply 2"]
        policy.predict(["second", "zweitens"], state)
        talks = [said(request) for request in server.requests]
        assert sorted(talks[:2], key=str) == [
            [("system", "Be brief."), ("user", "erst")],
            [("system", "Be brief."), ("user", "first")],
        ]
        assert [
            ("system", "Be brief."), ("user", "first"), ("assistant", "reply 2"),
            ("user", "second"),
        ] in talks[2:]  # fmt: skip
        body = server.requests[0].body
        assert server.requests[0].path == "/v1/chat/completions"
        assert (body["model"], body["max_tokens"], body["temperature"]) == ("m", 9, 0.5)
        assert body["top_p"] == 0.9 and "top_k" not in body and "stop" not in body
        assert 0 <= body["seed"] < 2**31
        assert len({request.body["seed"] for request in server.requests}) == 4


WEIRD = ["", "a\ud800b", "\U000f0001 is no mark", "\x00\n\u2028", "😀 ñ 数"]


@pytest.mark.parametrize("text", WEIRD)
def test_any_text_goes_there_and_back(text):
    valid = text.encode("utf-8", "replace").decode()
    chat = make_chat("auto", CharacterTokenizer(), system=text or None)
    ids = chat.opening(text)
    ids += [ord(character) for character in valid]
    ids += chat.following(ids, text)
    assert [m["content"] for m in CharacterTokenizer().messages(ids)] == [valid] * (
        4 if text else 3
    )
    with serving(lambda request: message(text)) as server:
        replies, state = LLMPolicy(engine(server), chat="auto").predict([text])
        assert replies == [valid]
        LLMPolicy(engine(server)).predict([text], state)
        assert [content for _, content in said(server.requests[-1])] == [valid] * 3


def test_the_record_of_a_reply():
    answers = {
        "stop": message("yes</a> and more"),
        "length": message("cut off", "length"),
        "cut after stop": message("x</a>y", "length"),
        "refusal": message(None),
    }
    with serving(lambda request: answers[said(request)[-1][1]]) as server:
        one = engine(server)
        chat = make_chat("auto", one.tokenizer)
        prompts = [chat.opening(name) for name in answers]
        found = one.generate(prompts, Sampling(8, stop=("</a>",)))
        assert isinstance(one, Generator)
    assert [each.text for each in found] == ["yes</a>", "cut off", "x</a>", ""]
    assert [each.finish for each in found] == ["stop", "length", "stop", "stop"]
    assert [one.tokenizer.decode(each.ids) for each in found] == [each.text for each in found]
    assert all(len(each.logprobs) == len(each.ids) for each in found)
    assert all(math.isnan(value) for each in found for value in each.logprobs)


def test_what_replies_cost_is_added_up():
    usages = iter([(100, 10), (200, 20), (400, 40)])
    with serving(lambda request: message("a", usage=next(usages))) as server:
        one = engine(server, prompt_price=2.0, reply_price=10.0)
        chat = make_chat("auto", one.tokenizer)
        one.generate([chat.opening("a"), chat.opening("b")], Sampling())
        one.generate([chat.opening("c")], Sampling())
        assert (one.usage.requests, one.usage.prompt_tokens, one.usage.reply_tokens) == (3, 700, 70)
        assert one.usage.price == pytest.approx((700 * 2 + 70 * 10) / 1e6)
        server.script = lambda request: Answer({"choices": message("a").body["choices"]})
        one.generate([chat.opening("c")], Sampling())
        assert (one.usage.requests, one.usage.uncounted) == (4, 1)


@pytest.mark.parametrize(
    "error",
    [
        {"message": "This model's maximum context length is 8 tokens", "code": 400},
        {"message": "too much", "code": "context_length_exceeded"},
    ],
)
def test_a_conversation_that_is_too_long_is_an_empty_reply(error):
    with serving(lambda request: Answer({"error": error}, 400)) as server:
        envs = Environments("zerogym/Countdown-v0", {})
        with envs:
            [record] = rollout(envs, [1], Player(engine(server)))
        assert record.truncated and record.turns == ()


def test_what_the_server_refuses_is_an_error():
    no = Answer({"error": {"message": "the model `m` does not exist"}}, 404)
    with serving(lambda request: no) as server:
        one = engine(server)
        prompt = make_chat("auto", one.tokenizer).opening("a")
        with pytest.raises(EngineFailed, match="status 404 the model `m` does not exist"):
            one.generate([prompt], Sampling())
        for strange in ("hello", [], {"choices": []}, {"choices": [{"message": {"content": 3}}]}):
            server.script = lambda request, strange=strange: Answer(json.dumps(strange))
            with pytest.raises(EngineFailed, match="another form than OpenAI's"):
                one.generate([prompt], Sampling())
        with pytest.raises(EngineFailed, match="not trained"):
            one.update_weights({}, 1)
        with pytest.raises(ValueError, match="no token to start from"):
            one.generate([[]], Sampling())
    with pytest.raises(ModelNotFound, match="cannot be loaded or trained"):
        load_model(f"{server.address}#m")


def test_settings_that_a_server_refuses_can_be_left_out():
    with serving(lambda request: message("a")) as server:
        name = f"{server.address}#m?omit=temperature,seed&limit_name=max_completion_tokens"
        LLMPolicy(connect(name), Sampling(5)).predict(["a"])
        assert set(server.requests[0].body) == {"model", "messages", "max_completion_tokens"}


def test_a_server_is_a_player_in_evaluations():
    def solve(request: Request) -> Answer:
        expression = said(request)[-1][1].partition("Calculate ")[2].partition(".")[0]
        return message(f"<answer>{eval(expression)}</answer>")  # of our own making

    with serving(solve) as server:
        env, kwargs = "zerogym/RandomCalculation-v0", {"difficulty": 0.0}
        with Environments(env, kwargs) as envs:
            player = Player(load_generator(f"{server.address}#m"), Sampling(stop=("</answer>",)))
            outcome = evaluate({"player_0": envs}, player, range(4))
        assert outcome.accuracy == 1.0 and len(server.requests) == 4


def test_a_server_plays_the_other_seat():
    with serving(lambda request: message("<answer>call</answer>")) as server:
        name = f"llm:{server.address}#m?{QUICK}"
        env = gym.make("zerogym/KuhnPoker-v0", opponent=name, seat=1)
        env.reset(seed=0)
        assert server.requests and said(server.requests[0])[0][0] == "user"
        seeds = [request.body["seed"] for request in server.requests]
        env.reset(seed=0)
        assert [request.body["seed"] for request in server.requests] == seeds * 2
        server.stop()
        with pytest.raises(ServerDown):
            env.reset(seed=0)
    with pytest.raises(ModelNotFound, match="name a model"):
        gym.make("zerogym/KuhnPoker-v0", opponent="llm:http://localhost/v1")


def completion(ids: list[int], text: str, finish: str = "stop", **changes) -> Answer:
    logprobs = {"token_logprobs": [-0.5 - number for number in range(len(ids))]}
    choice = {"token_ids": ids, "text": text, "finish_reason": finish, "logprobs": logprobs}
    return Answer({"choices": [choice | changes], "usage": {}})


@pytest.fixture
def tokenizer():
    pytest.importorskip("transformers")
    return load_generator("tiny").tokenizer


def test_ids_go_in_and_come_out(tokenizer):
    with serving(lambda request: completion([5, 6, 7], "a</b>c")) as server:
        one = TokenServer(Server(server.address, "m", context_length=20), tokenizer)
        sampling = Sampling(16, stop=("</b>",), seeds=(8, 9))
        first, full = one.generate([[1, 2, 3, 4, 5, 6, 7, 8], [1] * 20], sampling)
        assert (full.ids, full.finish, len(server.requests)) == ((), "context", 1)
        assert (first.ids, first.logprobs) == ((5, 6, 7), (-0.5, -1.5, -2.5))
        assert (first.text, first.finish) == ("a</b>", "stop")
        body = server.requests[0].body
        assert (body["prompt"], body["max_tokens"]) == ([1, 2, 3, 4, 5, 6, 7, 8], 12)
        assert body["seed"] == row_seeds(2, sampling)[0]
        assert body["return_token_ids"] and body["include_stop_str_in_output"]
        server.script = lambda request: completion([5] * 12, "a", "length")
        assert one.generate([[1] * 8], Sampling(16))[0].finish == "context"
        assert one.generate([[1] * 8], Sampling(12))[0].finish == "context"
        server.script = lambda request: completion([5] * 4, "a", "length")
        assert one.generate([[1] * 8], Sampling(4))[0].finish == "length"


@pytest.mark.parametrize(
    ("change", "known"),
    [({}, True), ({"temperature": 0.0}, True), ({"temperature": 0.7}, False),
     ({"top_p": 0.9}, False), ({"top_k": 5}, False)],
)  # fmt: skip
def test_log_probabilities_of_another_distribution_are_not_passed_on(tokenizer, change, known):
    with serving(lambda request: completion([5], "a")) as server:
        one = TokenServer(Server(server.address, "m", context_length=20), tokenizer)
        [reply] = one.generate([[1]], Sampling(4, **change))
        assert reply.logprobs == (-0.5,) if known else math.isnan(reply.logprobs[0])


def test_a_server_of_tokens_reports_its_context(tokenizer):
    models = {"data": [{"id": "m", "max_model_len": 77}, {"id": "other"}]}

    def script(request: Request) -> Answer:
        return Answer(models) if request.path == "/v1/models" else message("a")

    with serving(script) as server:
        assert connect(f"{server.address}#m?tokenizer=tiny").context_length == 77
        for model, words in (("other", "add context_length"), ("mm", "no model 'mm', but 'm'")):
            with pytest.raises(EngineFailed, match=words):
                connect(f"{server.address}#{model}?tokenizer=tiny")
        one = connect(f"{server.address}#m?tokenizer=tiny")
        with pytest.raises(EngineFailed, match="leave `tokenizer` out"):
            one.generate([[1]], Sampling())
    with pytest.raises(ModelNotFound, match="no tokenizer"):
        connect(f"{server.address}#m?context_length=9&tokenizer={Path(__file__).parent}")
