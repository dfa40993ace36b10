"""What a run or a comparison found, in sentences never stronger than its verdicts."""
