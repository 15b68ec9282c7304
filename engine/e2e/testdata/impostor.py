# An application that embeds QtWebEngine and has an endpoint that is not what it
# seems. Arguments: the page's URL, and one of
#   elsewhere PORT   it hands out the URL of another port
#   handover FILE    it gives every connection to a program that is no child of
#                    its own, which writes what it is sent to the file
#   says WHAT        what it says once it has taken the connection: nothing (and
#                    then it says nothing), frames that are none, one that is
#                    too large, or text that is no JSON
#   child            the endpoint is a child's, which goes on without its parent
import base64
import hashlib
import os
import re
import socket
import sys
import threading

from PyQt5.QtCore import QSocketNotifier, QUrl
from PyQt5.QtWebEngineWidgets import QWebEngineView
from PyQt5.QtWidgets import QApplication

url, mode, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
PATH = "/devtools/browser/0f9d4c1e-0000-4000-8000-000000000000"


def accept(conn, key):
    digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    conn.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n")


def serve(listener, named, upgrade):
    while True:
        conn, _ = listener.accept()
        request = b""
        while b"\r\n\r\n" not in request:
            request += conn.recv(4096) or b"\r\n\r\n"
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", request)
        if key:
            upgrade(conn, key.group(1))
        else:
            body = ('{"webSocketDebuggerUrl":"ws://127.0.0.1:%d%s"}' % (named, PATH)).encode()
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
        conn.close()


def stranger(inbox, file):
    while True:
        key, fds, _, _ = socket.recv_fds(inbox, 4096, 1)
        if not fds:
            return
        conn = socket.socket(fileno=fds[0])
        accept(conn, key)
        got = b""
        while part := conn.recv(4096):
            got += part
        with open(file + ".new", "wb") as out:
            out.write(got)
        os.rename(file + ".new", file)


SAYS = {
    "nothing": b"",
    "frames": b"\xff\x00" * 64,
    "large": b"\x81\x7f" + (1 << 40).to_bytes(8, "big") + b"x" * 4096,
    "text": b"\x81\x05hello",
}


def say(conn, key):
    accept(conn, key)
    conn.sendall(SAYS[rest[0]])
    try:
        while conn.recv(4096):
            pass
    except OSError:
        pass


def listen():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, listener.getsockname()[1]


if mode == "child":
    if os.fork() == 0:
        for fd in range(3):  # nobody waits for the end of what it might say
            os.dup2(os.open(os.devnull, os.O_RDWR), fd)
        listener, port = listen()
        serve(listener, port, accept)
else:
    inbox, outbox = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if mode == "handover":
        child = os.fork()
        if child == 0:
            if os.fork() == 0:
                outbox.close()
                stranger(inbox, rest[0])
            os._exit(0)
        os.waitpid(child, 0)
    inbox.close()
    listener, port = listen()
    named = int(rest[0]) if mode == "elsewhere" else port
    hand = lambda conn, key: socket.send_fds(outbox, [key], [conn.fileno()])
    if mode == "says":
        hand = lambda conn, key: threading.Thread(target=say, args=(conn.dup(), key), daemon=True).start()
    threading.Thread(target=serve, args=(listener, named, hand), daemon=True).start()

app = QApplication(sys.argv[:1])
view = QWebEngineView()
view.resize(1100, 750)
view.load(QUrl(url))
view.show()


def command():
    if not sys.stdin.readline():
        app.quit()


notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Read)
notifier.activated.connect(command)
sys.exit(app.exec_())
