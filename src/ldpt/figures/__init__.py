"""The figures: style, elements, captions, and how each is drawn."""
