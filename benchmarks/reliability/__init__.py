"""What the service must survive, as commands; the test suite runs a little of each."""
