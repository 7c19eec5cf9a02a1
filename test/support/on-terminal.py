# on-terminal.py COLUMNS COMMAND…: runs the command on a terminal of that width; what is read here is typed there.
import fcntl, os, pty, select, signal, struct, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
reading = [terminal, 0]
while True:
    for source in select.select(reading, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:
            data = b""
        if data:
            os.write(1 if source == terminal else terminal, data)
        elif source == 0:
            reading.remove(0)
        else:
            _, status = os.waitpid(pid, 0)
            sys.exit(os.waitstatus_to_exitcode(status) & 255)
