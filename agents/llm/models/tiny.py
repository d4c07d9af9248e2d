"""The tiny language model: a Llama of about a million parameters and its tokenizer.

Architecture: "Llama 2: Open Foundation and Fine-Tuned Chat Models" (2023, arXiv 2307.09288) as
`transformers` implements it; the size is our choice. Tokenizer: byte-level byte-pair encoding
("Neural Machine Translation of Rare Words with Subword Units", 2016, arXiv 1508.07909), trained on
the prompts of our own tasks. Digits are single tokens, because numbers cut into pieces of varying
length cannot be added column by column.

Left out: pre-training on natural language. The model knows our tasks and nothing else.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from zerogym.agents.field_comments import describe_fields

PAD, END = "<|pad|>", "<|end|>"
ROLES = ("<|system|>", "<|user|>", "<|assistant|>")
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "<|{{ message['role'] }}|>{{ message['content'] }}<|end|>"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)

# Tags whole, digits singly, operators with the blanks around them, and runs of words together, so
# that the sentences that every prompt repeats become a token or two: prompts half as long.
_PIECES = r"</?[a-z]+>|\d| ?[^\s\p{L}\p{N}<]+ ?|(?: ?\p{L}+)+ ?|\p{N}|\s+|<"


@describe_fields
@dataclass(frozen=True)
class TinyConfig:
    """Size of the model; the defaults give about 0.95 million parameters."""

    vocabulary: int = 1024  # most tokens, the 256 bytes and 5 special tokens included
    merge_count: int = 50  # occurrences in the texts from which on a pair becomes a token
    line_count: int = 0  # texts with a line of several words from which on it is one token; 0: none
    hidden: int = 128  # width of the residual stream
    layers: int = 4  # transformer blocks
    heads: int = 4  # attention heads
    feed_forward: int = 384  # width of the gated feed-forward layer
    context: int = 2048  # tokens the model can attend to


def build_tokenizer(
    texts: Iterable[str], config: TinyConfig | None = None
) -> PreTrainedTokenizerFast:
    """Train the tokenizer; the same texts in the same order give the same tokenizer.

    Every Unicode string survives encoding and decoding, because all 256 bytes are tokens. With
    `line_count`, lines that many texts share are tokens, too, beside the `vocabulary`: of a prompt
    that explains tools to every problem in the same words, what is left to read is the problem.
    """
    config = config or TinyConfig()
    texts = list(texts)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=config.vocabulary,
        min_frequency=config.merge_count,
        special_tokens=[PAD, END, *ROLES],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens(
        [AddedToken(line, normalized=False) for line in _shared_lines(texts, config)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=list(ROLES),
        chat_template=CHAT_TEMPLATE,
        model_max_length=config.context,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def _shared_lines(texts: Sequence[str], config: TinyConfig) -> list[str]:
    """Return the lines of several words that so many texts share, in the order of the alphabet."""
    if not config.line_count:
        return []
    found = Counter(line for text in texts for line in set(text.split("\n")))
    return sorted(
        line for line, count in found.items() if " " in line and count >= config.line_count
    )


def build_model(
    tokenizer: PreTrainedTokenizerFast, config: TinyConfig | None = None, seed: int = 0
) -> LlamaForCausalLM:
    """Return a randomly initialised model of this size, in float32 on the CPU."""
    config = config or TinyConfig()
    llama = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=config.hidden,
        intermediate_size=config.feed_forward,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        num_key_value_heads=config.heads,
        max_position_embeddings=config.context,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        initializer_range=0.02,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(llama)
