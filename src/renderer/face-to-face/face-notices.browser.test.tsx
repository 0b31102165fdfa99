import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { Notice } from '#renderer/conversation/conversation.ts';
import type { SilentStage } from '#shared/conversation/silence.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const theirs = page.getByRole('region', { name: 'Your partner’s half' });
const choosing = () => page.getByRole('button', { name: /^(Choose|Check)/ }).elements();
const devices = { from: 'Jabra', to: 'Built-in' };

const notices: readonly { readonly notice: Notice; readonly words: RegExp }[] = [
	{ notice: { kind: 'silent-microphone', device: 'Jabra' }, words: /Jabra.* is silent/ },
	{ notice: { kind: 'microphone-switched', ...devices }, words: /is used now/ },
	{ notice: { kind: 'output-switched', ...devices }, words: /The sound now comes from/ },
	{ notice: { kind: 'problem', problem: { kind: 'output-missing', device: '' } }, words: /not connected/ },
	{ notice: { kind: 'problem', problem: { kind: 'microphone-busy', device: '' } }, words: /is in use by/ },
];

test.each(notices)(
	'between the halves nobody is sent to a box that is not there, and on the usual page one is: $notice.kind',
	async ({ notice, words }) => {
		const shown = await renderWindow(createFakeWindow({ settings: { mode: 'face' } }));
		shown.conversation.show({ phase: 'live', liveSinceMs: 0, notice });
		await expect.element(theirs).toBeVisible();
		await expect.element(page.getByText(words)).toBeInTheDocument();
		expect(choosing()).toEqual([]);
		shown.conversation.show({ phase: 'idle', notice });
		await expect.element(page.getByRole('button', { name: /^Choose (a microphone|speakers)/ })).toBeVisible();
	},
);

test.each([
	['microphone', /gives no sound at all/, []],
	['transcript', /no text comes back/, ['Connect again']],
	['output', /it is turned off here/, ['Turn it on', 'Test sound']],
] as const satisfies readonly (readonly [SilentStage, RegExp, readonly string[]])[])(
	'what is silent has the ways out that work between the halves: %s',
	async (stage, words, ways) => {
		const shown = createFakeWindow({ settings: { mode: 'face' }, silence: { leg: 'outgoing', stage } });
		shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
		await renderWindow(shown);
		await expect.element(theirs).toBeVisible();
		await expect.element(page.getByText(words)).toBeInTheDocument();
		for (const name of ways) await expect.element(page.getByRole('button', { name })).toBeInTheDocument();
		expect(choosing()).toEqual([]);
	},
);
