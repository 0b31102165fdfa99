import type { SoundServer } from '#main/calls/sound-server.ts';
import { inspect, type Processes } from '#main/calls/virtual-microphone.ts';
import type { Problem } from '#shared/problem.ts';
import { createResampler } from '#shared/sound/resampler.ts';

/** The facts about the sound server and our devices in it. */
export type SoundReport =
	/** Programs cannot make devices on this system. */
	| { readonly server: 'unsupported' }
	| { readonly server: 'failed'; readonly problem: Problem }
	| {
			readonly server: 'running';
			/** Name and version as it calls itself. */
			readonly name: string;
			/** Names inside the server, not for people; empty = none. */
			readonly defaultSink: string;
			readonly defaultSource: string;
			/** Devices (two for each virtual microphone) of running programs, and those left by programs that ended. */
			readonly inUse: number;
			readonly orphans: number;
	  };

/** Changes nothing. `createPactl` and `readProcesses()` on Linux, null elsewhere. */
export async function inspectSound(
	server: SoundServer | null,
	processes: Processes | null,
): Promise<SoundReport> {
	if (!server || !processes) return { server: 'unsupported' };
	const info = await server.info();
	if (!info.ok) return { server: 'failed', problem: info.error };
	const found = await inspect({ server, processes });
	if (!found.ok) return { server: 'failed', problem: found.error };
	const { own, foreign, orphans } = found.value;
	return { server: 'running', ...info.value, inUse: own.length + foreign.length, orphans: orphans.length };
}

/** Converts a whole sound to another rate. */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
	const resampler = createResampler(fromHz, toHz);
	const body = resampler.push(samples);
	const tail = resampler.flush();
	const out = new Float32Array(body.length + tail.length);
	out.set(body);
	out.set(tail, body.length);
	return out;
}
