"""The policy signature, shared by every agent of the package.

It is Stable-Baselines3's `predict`, batch first, so that its models are zerogym policies and ours
are its: LLM policies, zero-shot agents with a fixed task, oracles, equilibria and people at a
terminal all look the same to a benchmark.
"""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Policy(Protocol):
    """Something that maps a batch of observations to a batch of actions."""

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """Choose actions.

        Args:
            observations: Batch of B observations: an array (B, ...), a dict of such arrays, or a
                sequence of B strings for text environments.
            state: What the policy returned the last time (a conversation, a recurrent state), or
                None at the start.
            episode_start: Bools (B,): True where a new episode begins; None means no new ones
                (all new if `state` is None).
            deterministic: Take the most likely action instead of a sample.

        Returns:
            The B actions (array (B, ...) or list of str), and the state for the next call.
        """
        ...
