import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { NumberField } from '#renderer/ui/number-field.tsx';
import { ok } from '#shared/lib/result.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { kept, voiceEntry } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderPart, renderWindow } from '#test/support/render-window.tsx';
import { HOSTILE_CALL, HOSTILE_HOST, hostileTexts } from '#test/support/texts.ts';

// Hundreds of long texts, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

/** Many texts from outside share one page, so that all of them are really rendered. */
const TOGETHER = 240;
const handfuls: readonly string[] = Array.from(
	{ length: Math.ceil(hostileTexts.length / TOGETHER) },
	(_, at) => hostileTexts.slice(at * TOGETHER, (at + 1) * TOGETHER).join(' '),
);
const one = (at: number) => handfuls[at % handfuls.length] ?? '';

/** Violations of the page's policy, which from here on requires Trusted Types, as the app's own does. */
const violations: string[] = [];
document.addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) =>
	violations.push(`${violatedDirective} ${sample}`),
);
const policy = document.createElement('meta');
policy.httpEquiv = 'Content-Security-Policy';
policy.content = "require-trusted-types-for 'script'";
document.head.append(policy);

/** Counts what ran; an element or a request that a text made is found by `expectOnlyText`. */
function watch(): () => number {
	let ran = 0;
	Reflect.set(window, HOSTILE_CALL, () => {
		ran += 1;
	});
	onTestFinished(() => void Reflect.deleteProperty(window, HOSTILE_CALL));
	return () => ran;
}

async function expectOnlyText(ran: () => number): Promise<void> {
	// A request or a handler would come a moment after the paint.
	await new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
	expect(ran()).toBe(0);
	expect(violations).toEqual([]);
	const asked = performance.getEntriesByType('resource').filter(({ name }) => name.includes(HOSTILE_HOST));
	expect(asked).toEqual([]);
	const root = document.querySelector('#root');
	const made = [...(root?.querySelectorAll('*') ?? [])].filter(
		(element) =>
			element.matches('script, iframe, object, embed, link, meta, base, form[action], marquee') ||
			[...element.attributes].some(
				({ name, value }) =>
					name.startsWith('on') ||
					(/^(href|src|style|background|action)$/.test(name) && value.includes(HOSTILE_HOST)),
			),
	);
	expect(made.map(({ outerHTML }) => outerHTML.slice(0, 200))).toEqual([]);
}

test('there are more than five hundred hostile texts', () => {
	expect(new Set(hostileTexts).size).toBeGreaterThan(500);
});

test('the policy of these tests is in force', async () => {
	const element = document.createElement('div');
	expect(() => {
		element.innerHTML = '<b>x</b>';
	}).toThrow('TrustedHTML');
	// The event comes a moment later.
	await expect.poll(() => violations).toHaveLength(1);
	violations.length = 0;
});

function Minutes() {
	const [value, setValue] = useState<number | null>(3);
	const rest = { label: 'Minutes', hint: '', placeholder: '', min: 1, max: 9, step: 1, isDisabled: false };
	return <NumberField {...rest} value={value} onChange={setValue} />;
}

test('a number changed by keys again and again stays, and nothing is refused', async () => {
	await renderPart(createFakeWindow(), <Minutes />);
	await page.getByRole('textbox').click();
	for (const next of ['4', '5', '6']) {
		await userEvent.keyboard('{ArrowUp}');
		await expect.element(page.getByRole('textbox')).toHaveValue(next);
	}
	expect(violations).toEqual([]);
});

test('in captions, in languages and in what the service says they are text', async () => {
	const ran = watch();
	const shown = await renderWindow(createFakeWindow());
	for (const [at] of handfuls.entries()) {
		shown.conversation.putRow(
			captionRow(
				at,
				[one(at), one(at)],
				[
					['es', one(at + 1)],
					[one(at + 2), one(at)],
				],
			),
			0,
		);
		await expect.poll(() => document.querySelector('#captions')?.textContent).toContain(HOSTILE_CALL);
		await expectOnlyText(ran);
		shown.conversation.show({
			phase: 'failed',
			problem: { kind: 'room-refused', reason: one(at) },
			notice: { kind: 'service-warning', code: one(at), text: one(at) },
		});
		await expectOnlyText(ran);
		shown.conversation.show({});
	}
});

const pages: readonly (readonly [
	'history' | 'voices' | 'glossaries' | 'sessions' | 'settings',
	(at: number) => FakeMain,
])[] = [
	[
		'history',
		(at) => ({
			conversations: [
				kept('c', 1, [[one(at), one(at), 'es', one(at)]], { title: one(at + 1), preview: one(at) }),
			],
		}),
	],
	[
		'voices',
		(at) => ({
			voices: {
				voices: [
					voiceEntry({
						name: one(at),
						description: one(at),
						language: one(at),
						attributes: [one(at)],
						status: 'failed',
						labels: { gender: one(at), ageGroup: one(at), mood: one(at) },
						warnings: [one(at)],
						errors: [one(at)],
						problem: { kind: 'room-refused', reason: one(at) },
					}),
				],
			},
		}),
	],
	[
		'glossaries',
		(at) => ({
			answers: {
				'glossary.list': () =>
					ok([
						{
							id: one(at),
							name: one(at),
							kind: one(at),
							source: one(at),
							target: one(at + 1),
							enabled: true,
							entries: at,
						},
					]),
			},
		}),
	],
	[
		'sessions',
		(at) => ({
			sessions: [
				{ handle: one(at), label: one(at), createdAt: 1, updatedAt: 1, expiresAt: 2, owner: 'foreign' },
			],
		}),
	],
	[
		'settings',
		(at) => ({
			settings: { apiUrl: one(at), voices: { es: one(at) }, microphone: { id: one(at), label: one(at) } },
			sound: { microphones: [{ id: one(at), label: one(at) }], outputs: [{ id: '1', label: one(at) }] },
			info: { version: one(at), userData: { folder: one(at), source: one(at) }, variables: [one(at)] },
		}),
	],
];

test.each(pages)('on the page of %s they are text', async (name, main) => {
	const ran = watch();
	for (const [at] of handfuls.entries()) {
		const shown = await renderWindow(createFakeWindow(main(at)));
		shown.parts.navigation.go(name);
		await expect.element(page.getByRole('main')).toBeVisible();
		await expectOnlyText(ran);
	}
});

test('hostile texts stay text in a stored conversation and in search results', async () => {
	const ran = watch();
	const row = { title: one(1), preview: one(2) };
	const read = kept(
		'c',
		1,
		handfuls.map((text, at): [string, string, string, string] => [one(at), text, one(at + 1), text]),
		row,
	);
	const shown = await renderWindow(createFakeWindow({ conversations: [read] }));
	shown.parts.navigation.read('c');
	await expect.poll(() => document.querySelector('main')?.textContent).toContain(HOSTILE_CALL);
	await expectOnlyText(ran);
	await page.getByLabelText('Search in this conversation').fill('img src');
	await expect.element(page.getByText(/^[1-9]\d* match/)).toBeVisible();
	await expectOnlyText(ran);
	shown.parts.navigation.read(null);
	await page.getByLabelText('Search all conversations').fill('img src');
	await expectOnlyText(ran);
});

test.each(['face', 'meeting', 'listen', 'captions', 'type'] as const)(
	'in the mode "%s", with devices, programs and voices called so, they are text',
	async (mode) => {
		const ran = watch();
		// Each page of texts in one of the modes; all of them in every mode would only take longer.
		const at = ['face', 'meeting', 'listen', 'captions', 'type'].indexOf(mode);
		const shown = await renderWindow(
			createFakeWindow({
				settings: { mode, voices: { es: one(at) }, output: { id: one(at), label: one(at) } },
				sound: {
					microphones: [{ id: one(at), label: one(at) }],
					outputs: [{ id: '1', label: one(at) }],
					systemMicrophone: one(at),
					systemOutput: one(at),
				},
			}),
		);
		shown.conversation.show({ phase: 'failed', problem: { kind: 'room-refused', reason: one(at) } });
		await expectOnlyText(ran);
	},
);

test('hostile texts stay text in the findings of a diagnosis', async () => {
	const ran = watch();
	for (const [at] of handfuls.entries()) {
		const problem = { kind: 'room-refused', reason: one(at) } as const;
		const shown = await renderWindow(
			createFakeWindow({
				findings: [
					{ check: 'room', state: 'failed', says: null, facts: { [one(at)]: one(at) }, problem },
					{
						check: 'versions',
						state: 'ok',
						says: 'versions',
						facts: { app: one(at), shell: one(at) },
						problem: null,
					},
				],
			}),
		);
		shown.parts.navigation.go('diagnostics');
		await expect.element(page.getByRole('main')).toBeVisible();
		await expectOnlyText(ran);
	}
});
