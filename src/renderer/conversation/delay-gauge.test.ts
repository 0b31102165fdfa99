import { expect, it } from 'vitest';
import type { CaptionChange } from '#shared/captions/assembler.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createGauge } from './delay.ts';

it('in the next conversation the delay is that of its own language, although no queue has been reported yet', () => {
	const gauge = createGauge();
	const choices = { hear: ['es'], voiceOf: 'es' } as unknown as Choices;
	gauge.queue(new Map([['es', { currentMs: 0, maxMs: null }]]), choices, 0);
	gauge.reset();
	const row = captionRow(0, ['en', 'Hello.'], [['fr', 'Salut.']]);
	const [segment] = row.translations;
	const change = { segment, row: 0, added: true } as CaptionChange;
	gauge.caption(change, row, 3000);
	gauge.second(60);
	expect(gauge.shownMs()).not.toBeNull();
});
