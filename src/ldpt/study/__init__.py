"""A study with real people: devices, messages, requests, and what a study costs."""
