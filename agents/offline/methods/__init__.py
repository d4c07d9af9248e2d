"""Methods of offline learning, one paper a file: the losses of an update in their order."""
