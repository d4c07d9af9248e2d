"""The parts of the answer checker, `zerogym.envs.reasoning.answers.equal`."""
