"""Safe fixes: edits of a file that leave every other character as it was."""
