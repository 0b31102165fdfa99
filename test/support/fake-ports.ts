import type { PortEnd, StreamEnds } from '#main/streaming/streams.ts';

/** Main's end of a port, with the page in the test's hand. */
export interface FakeEnd {
	readonly end: PortEnd;
	/** What main said. */
	readonly posted: readonly unknown[];
	/** The page says something. */
	say(value: unknown): void;
	/** The page is gone. */
	leave(): void;
	closes(): number;
}

export function createFakeEnd(): FakeEnd {
	const posted: unknown[] = [];
	let heard: (value: unknown) => void = () => {};
	let gone: () => void = () => {};
	let closes = 0;
	const end: PortEnd = {
		post: (value) => void posted.push(value),
		listen: (next) => {
			heard = next;
		},
		closed: (next) => {
			gone = next;
		},
		close: () => {
			closes += 1;
		},
	};
	return { end, posted, say: (value) => heard(value), leave: () => gone(), closes: () => closes };
}

export interface FakePorts {
	readonly ends: StreamEnds;
	readonly control: FakeEnd;
	readonly capture: FakeEnd;
	readonly voice: FakeEnd;
	/** How often any of the three ports was closed. */
	closes(): number;
}

export function createFakePorts(): FakePorts {
	const [control, capture, voice] = [createFakeEnd(), createFakeEnd(), createFakeEnd()];
	return {
		ends: { control: control.end, capture: capture.end, voice: voice.end },
		control,
		capture,
		voice,
		closes: () => control.closes() + capture.closes() + voice.closes(),
	};
}
