# An application that embeds QtWebEngine: one window with one page. It reads
# commands from standard input: "window" opens a second window, "page URL" a
# second page that no window shows, "close" closes what was opened last.
import sys

from PyQt5.QtCore import QSocketNotifier, QUrl
from PyQt5.QtWebEngineWidgets import QWebEnginePage, QWebEngineView
from PyQt5.QtWidgets import QApplication, QLabel

app = QApplication(sys.argv[:1])
view = QWebEngineView()
view.resize(1100, 750)
view.load(QUrl(sys.argv[1]))
view.show()
opened = []


def command():
    line = sys.stdin.readline()
    word, _, rest = line.strip().partition(" ")
    if word == "window":
        opened.append(QLabel("A second window"))
        opened[-1].resize(300, 200)
        opened[-1].show()
    elif word == "page":
        opened.append(QWebEnginePage())
        opened[-1].load(QUrl(rest))
    elif word == "close":
        opened.pop().deleteLater()
    elif not line:
        app.quit()


notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Read)
notifier.activated.connect(command)
sys.exit(app.exec_())
