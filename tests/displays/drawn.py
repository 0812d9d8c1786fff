"""What is read off a figure."""


def legend(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def stars(display):
    lines = [line for line in display.ax_.lines if line.get_marker() == "*"]
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in lines]
