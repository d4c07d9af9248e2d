"""Speed: throughput of our code beside a peer or a floor, measured in the same run."""
