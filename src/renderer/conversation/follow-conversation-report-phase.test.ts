import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { PhaseReport } from '#shared/host/contract.ts';
import { type ConversationView, idleView } from './conversation.ts';
import { reportPhase } from './follow-conversation.ts';

test.each<[PhaseReport, Partial<ConversationView>]>([
	['idle', { phase: 'idle' }],
	['starting', { phase: 'preparing' }],
	['starting', { phase: 'connecting' }],
	['starting', { phase: 'starting' }],
	['live', { phase: 'live' }],
	['paused', { phase: 'live', paused: true }],
	['starting', { phase: 'switching', liveSinceMs: null }],
	['recovering', { phase: 'switching', liveSinceMs: 1 }],
	['recovering', { phase: 'reconnecting', liveSinceMs: 1 }],
	['ending', { phase: 'ending' }],
	['failed', { phase: 'failed' }],
])('main is told "%s" of a conversation with %j', (phase, view) => {
	const store = createStore<ConversationView>()(() => idleView);
	const told: unknown[] = [];
	const host: Pick<Host, 'ask'> = {
		async ask(name, input) {
			told.push([name, input]);
			return { ok: true, value: undefined as never };
		},
	};
	reportPhase({ store }, host);
	store.setState(view);
	expect(told).toEqual([['conversation.phase', { phase, muted: false }]]);
});
