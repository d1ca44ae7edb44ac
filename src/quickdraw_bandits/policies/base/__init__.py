"""Parts of ``Policy`` (policy.py): locks, copies, questions, several arms at once, choices that follow a log."""
