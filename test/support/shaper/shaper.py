"""A line between two networks of this computer: IP packets go through here, late, lost, doubled or out of order.

Usage: shaper.py NEAR FAR, each `NAMESPACE:DEVICE:MTU` (`/proc/123/ns/net:eth0:1500`). Opens a TUN device in each and
says `ready`. Commands are JSON lines on standard input, each answered by one line with its `id`:

  {"id": 1, "set": {"up": CONDITION, "down": CONDITION}}   up = near to far; what is not named becomes clean
  {"id": 2, "count": true}                                 packets and bytes so far, per direction
  {"id": 3, "seed": 7}                                     the same chance again
  {"id": 4, "set": …, "alike": 7}                          from now on each stream of RTP has a chance of its own, the same
                                                           for all: what befalls the n-th packet of one befalls the n-th
                                                           of every other, so that two calls on one line can be compared

CONDITION: lossRatio; burst {enter, leave, lossRatio} (a bad state entered and left with these chances per packet);
delayMs; jitterMs (standard deviation; what was sent first still arrives first); duplicateRatio; reorderRatio and
reorderMs (these packets alone come later, so others overtake them); bytesPerSecond and queueBytes (what does not fit
is lost); cut (nothing passes); blockUdp; blockTcpPorts; outage {everyMs, forMs} (cut for the first `forMs` of every period but
the first, counted from the command).
Standard library only. Ends with its standard input.
"""

import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
TCP, UDP = 6, 17


def open_tun(namespace, device):
    """A TUN device in that network namespace; the descriptor stays valid when we enter another one."""
    with open(namespace) as handle:
        if ctypes.CDLL(None, use_errno=True).setns(handle.fileno(), CLONE_NEWNET) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"setns: {os.strerror(number)}")
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI))
    return tun


def rtp_stream(packet):
    """Identifies its RTP stream, with its sequence number there; None if it is no RTP (RTCP, DTLS, STUN, TCP)."""
    data = (packet[0] & 15) * 4 + 8
    if packet[9] != UDP or len(packet) < data + 12:
        return None
    if packet[data] >> 6 != 2 or 192 <= packet[data + 1] <= 223:
        return None
    return packet[12:20] + packet[data - 8 : data - 4] + packet[data + 8 : data + 12], struct.unpack_from("!H", packet, data + 2)[0]


class Flow:
    """Packets that share one random sequence, and overtake each other only where the condition says so."""

    def __init__(self, chance):
        self.chance = chance
        self.is_bad = False
        self.last_due = 0.0
        # Sequence number of the newest packet, if they are numbered.
        self.sequence = None


class Direction:
    """One direction: what is to happen to the next packet, and the packets in flight."""

    def __init__(self, out):
        self.out = out
        self.heap = []
        self.number = 0
        self.counts = dict(packets=0, bytes=0, lost=0, dropped=0, doubled=0, passed=0, passedBytes=0)
        self.set({}, 0.0, None)

    def set(self, condition, now, alike):
        self.condition = condition
        self.since = now
        self.alike = alike
        self.common = Flow(random)
        self.streams = {}
        self.sending_until = 0.0
        self.queued = 0

    def is_cut(self, now):
        if self.condition.get("cut"):
            return True
        outage = self.condition.get("outage")
        if not outage:
            return False
        period, at = divmod((now - self.since) * 1000, outage["everyMs"])
        return period >= 1 and at < outage["forMs"]

    def is_blocked(self, packet):
        protocol = packet[9]
        if protocol == UDP:
            return bool(self.condition.get("blockUdp"))
        ports = self.condition.get("blockTcpPorts")
        if not ports or protocol != TCP:
            return False
        header = (packet[0] & 15) * 4
        return any(port in ports for port in struct.unpack_from("!HH", packet, header))

    def flow_of(self, packet):
        """The flow of its stream, advanced to this packet; retransmissions and all that is no RTP share one flow."""
        stream = rtp_stream(packet) if self.alike is not None else None
        if stream is None:
            return self.common
        key, sequence = stream
        flow = self.streams.get(key)
        if flow is None:
            flow = self.streams[key] = Flow(random.Random(self.alike))
            flow.sequence = (sequence - 1) & 0xFFFF
        ahead = (sequence - flow.sequence) & 0xFFFF
        if not 0 < ahead < 0x8000:
            return self.common
        for _ in range(ahead - 1):
            self.fate(flow)
        flow.sequence = sequence
        return flow

    def fate(self, flow):
        """None: lost. Otherwise how long it takes, whether others may overtake it, whether it is duplicated."""
        condition, chance = self.condition, flow.chance
        burst = condition.get("burst")
        if burst:
            luck = chance.random()
            flow.is_bad = luck >= burst["leave"] if flow.is_bad else luck < burst["enter"]
            if flow.is_bad and chance.random() < burst.get("lossRatio", 1):
                return None
        if chance.random() < condition.get("lossRatio", 0):
            return None
        way = max(0.0, chance.gauss(condition.get("delayMs", 0), condition.get("jitterMs", 0))) / 1000
        is_overtaken = chance.random() < condition.get("reorderRatio", 0)
        is_doubled = chance.random() < condition.get("duplicateRatio", 0)
        return way, is_overtaken, is_doubled

    def take(self, packet, now):
        if packet[0] >> 4 != 4:
            return
        self.counts["packets"] += 1
        self.counts["bytes"] += len(packet)
        if self.is_cut(now) or self.is_blocked(packet):
            self.counts["dropped"] += 1
            return
        flow = self.flow_of(packet)
        fate = self.fate(flow)
        if fate is None:
            self.counts["lost"] += 1
            return
        way, is_overtaken, is_doubled = fate
        self.send_later(packet, now, flow, way, is_overtaken)
        if is_doubled:
            self.counts["doubled"] += 1
            self.send_later(packet, now, flow, way, is_overtaken)

    def send_later(self, packet, now, flow, way, is_overtaken):
        leaves = now
        rate = self.condition.get("bytesPerSecond")
        held = 0
        if rate:
            if self.queued + len(packet) > self.condition.get("queueBytes", rate):
                self.counts["dropped"] += 1
                return
            held = len(packet)
            self.queued += held
            leaves = self.sending_until = max(now, self.sending_until) + held / rate
        due = leaves + way
        if is_overtaken:
            due += self.condition.get("reorderMs", 0) / 1000
        else:
            due = flow.last_due = max(due, flow.last_due)
        self.number += 1
        heapq.heappush(self.heap, (due, self.number, packet, held, self.since))

    def release(self, now):
        while self.heap and self.heap[0][0] <= now:
            _, _, packet, held, since = heapq.heappop(self.heap)
            if since == self.since:
                self.queued -= held
            # What was in flight when the line was cut is lost.
            if self.is_cut(now):
                self.counts["dropped"] += 1
                continue
            try:
                os.write(self.out, packet)
                self.counts["passed"] += 1
                self.counts["passedBytes"] += len(packet)
            except OSError:
                # The device is down, or its queue is full: as on any line.
                self.counts["dropped"] += 1

    def due(self):
        return self.heap[0][0] if self.heap else None


def obey(line, up, down):
    command = json.loads(line)
    answer = {"id": command["id"]}
    if "set" in command:
        now = time.monotonic()
        up.set(command["set"].get("up") or {}, now, command.get("alike"))
        down.set(command["set"].get("down") or {}, now, command.get("alike"))
    if "seed" in command:
        random.seed(command["seed"])
    if "count" in command:
        answer.update(up=up.counts, down=down.counts)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main():
    tuns, sizes = [], []
    for end in sys.argv[1:3]:
        namespace, device, size = end.rsplit(":", 2)
        tuns.append(open_tun(namespace, device))
        sizes.append(int(size) + 100)
    near, far = tuns
    up, down = Direction(far), Direction(near)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    waiting = b""
    poll = select.poll()
    for source in (near, far, 0):
        poll.register(source, select.POLLIN)
    while True:
        dues = [due for due in (up.due(), down.due()) if due is not None]
        limit = max(0.0, min(dues) - time.monotonic()) * 1000 if dues else None
        events = poll.poll(limit)
        if any(event & select.POLLERR for _, event in events):
            # The network is gone, and the device with it.
            return
        ready = [source for source, _ in events]
        now = time.monotonic()
        for source, direction, size in ((near, up, sizes[0]), (far, down, sizes[1])):
            if source not in ready:
                continue
            try:
                while True:
                    direction.take(os.read(source, size), now)
            except OSError:
                # Empty, or the device is down.
                pass
        if 0 in ready:
            chunk = os.read(0, 65536)
            if not chunk:
                return
            *lines, waiting = (waiting + chunk).split(b"\n")
            for line in lines:
                obey(line, up, down)
        up.release(time.monotonic())
        down.release(time.monotonic())


main()
