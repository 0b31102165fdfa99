import { expect } from 'vitest';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { eventually } from '#test/support/eventually.ts';

export const sample = { filename: 'me.wav', mime_type: 'audio/wav', lang_code: 'en', item_id: 'item-1' };
export const valid = { name: 'My voice', samples: [sample] };

export interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: the wire, looked at as it is
	readonly body: any;
}

export interface Descriptor {
	readonly url: string;
	readonly form_data: Readonly<Record<string, string>>;
}

/** The voice endpoints as a plain client sees them, without any code of the app. */
export interface VoiceWire {
	/** `faults` are the caller's own (`K+NAME`). */
	ask(
		method: string,
		path: string,
		options?: { faults?: string; json?: unknown; bearer?: string; type?: string },
	): Promise<Reply>;
	clone(data?: unknown, faults?: string): Promise<Reply>;
	/** A voice that has no sample yet; the descriptor is the last of those given. */
	cloned(faults?: string): Promise<{ id: string; descriptor: Descriptor }>;
	/** Every field, then what `change` adds: a small file of its own accord. */
	upload(
		descriptor: Descriptor,
		change?: (form: FormData) => void,
		headers?: Record<string, string>,
		signal?: AbortSignal,
	): Promise<{ status: number; text: string }>;
	statusOf(id: string): Promise<string>;
	/** The id of a voice that can be spoken with. */
	readyVoice(): Promise<string>;
}

export function createVoiceWire(sandbox: Sandbox): VoiceWire {
	const { api, key } = sandbox.addresses;

	const wire: VoiceWire = {
		async ask(method, path, { faults, json, bearer, type = 'application/json' } = {}) {
			const answer = await fetch(`${api}${path}`, {
				method,
				headers: {
					Authorization: `Bearer ${bearer ?? (faults ? `${key}+${faults}` : key)}`,
					'Content-Type': type,
				},
				...(json === undefined ? {} : { body: JSON.stringify(json) }),
			});
			const text = await answer.text();
			return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
		},
		clone: (data = valid, faults = '') =>
			wire.ask('POST', '/saas/voice/clone', { json: { data }, ...(faults ? { faults } : {}) }),
		async cloned(faults) {
			const { status, body } = await wire.clone(valid, faults);
			expect(status).toBe(200);
			return { id: body.data.voice_id, descriptor: body.data.samples.at(-1) };
		},
		async upload({ url, form_data }, change = addFile, headers = {}, signal) {
			const form = new FormData();
			for (const [name, value] of Object.entries(form_data)) form.append(name, value);
			change(form);
			const answer = await fetch(url, {
				method: 'POST',
				body: form,
				headers,
				...(signal && { signal }),
			});
			return { status: answer.status, text: await answer.text() };
		},
		async statusOf(id) {
			return (await wire.ask('GET', `/saas/voice/m/${id}`)).body.data.processing_status;
		},
		async readyVoice() {
			const { id, descriptor } = await wire.cloned('voice-pending:1');
			await wire.upload(descriptor);
			await eventually(
				() => wire.statusOf(id),
				(status) => expect(status).toBe('ready'),
				10_000,
			);
			return id;
		},
	};
	return wire;
}

function addFile(form: FormData): void {
	form.append('file', new Blob(['RIFF....WAVE']), 'me.wav');
}
