"""The outside world: published surveys replayed, numbers of others beside ours."""
