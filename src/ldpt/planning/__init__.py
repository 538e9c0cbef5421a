"""What a private study costs its participants, and what a simulation costs its machine."""
