"""nbval compares results; warnings and progress bars on standard error differ between machines."""


def pytest_collectstart(collector):
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("stderr",)
