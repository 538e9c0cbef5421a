"""What a private study costs its participants, a simulation its machine, a precision in runs."""
