import { contextBridge, ipcRenderer } from 'electron';
import { ASK, PORTS, TELL } from '#shared/host/channels.ts';
import { announcements, type HostBridge, type RequestName, requests } from '#shared/host/contract.ts';
import { Problem } from '#shared/problem.ts';

const bug = (where: string) => ({ ok: false, error: { kind: 'bug', where } });

/** The answer as the contract promises it, or our own bug; nothing else reaches the page. */
function checked(name: RequestName, answer: unknown): unknown {
	if (typeof answer !== 'object' || answer === null || !('ok' in answer)) return bug(`preload: ${name}`);
	if (answer.ok === true) {
		const value = requests[name].output.safeParse(
			'value' in answer ? (answer.value ?? undefined) : undefined,
		);
		if (value.success) return { ok: true, value: value.data };
		// `null` is an answer of its own where the contract knows it (a dialog that was closed).
		const empty = requests[name].output.safeParse(null);
		return empty.success ? { ok: true, value: null } : bug(`preload: ${name}: answer`);
	}
	const problem = Problem.safeParse('error' in answer ? answer.error : null);
	return problem.success ? { ok: false, error: problem.data } : bug(`preload: ${name}: problem`);
}

const bridge: HostBridge = {
	async ask(name, input) {
		if (!Object.hasOwn(requests, name)) return bug('preload: unknown request');
		const known = name as RequestName;
		if (!requests[known].input.safeParse(input ?? undefined).success) return bug(`preload: ${known}: input`);
		try {
			return checked(known, await ipcRenderer.invoke(ASK, known, input));
		} catch {
			return bug(`preload: ${known}`);
		}
	},
	listen(name, heard) {
		if (!Object.hasOwn(announcements, name)) return () => {};
		const receive = (_event: unknown, told: unknown, payload: unknown) => {
			if (told === name) heard(payload);
		};
		ipcRenderer.on(TELL, receive);
		return () => void ipcRenderer.removeListener(TELL, receive);
	},
};

contextBridge.exposeInMainWorld('dragoman', bridge);

// A bridge cannot carry ports, so they go by a message of the window to itself, which nobody else can read.
ipcRenderer.on(PORTS, ({ ports }, note: unknown) => {
	window.postMessage({ name: PORTS, note }, window.location.origin, [...ports]);
});
