import { describe, expect, it } from 'vitest';
import { createFaults } from '#sandbox/faults.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createSessionStore, type StoredSession } from './sessions.ts';

function stage() {
	const clock = createManualClock();
	const faults = createFaults();
	const gone: string[] = [];
	const store = createSessionStore({ clock, gone: (session) => gone.push(session.id) });
	const create = (): StoredSession => {
		const made = store.create({ intent: 'api', faults });
		if (!made.ok) throw new Error(made.error);
		return made.value;
	};
	return { clock, faults, gone, store, create };
}

describe('the life of a session', () => {
	it('ends ten minutes after its creation when nobody connected', () => {
		const { clock, gone, store, create } = stage();
		const { id } = create();
		clock.advance(599_000);
		expect(gone).toEqual([]);
		clock.advance(1000);
		expect(gone).toEqual([id]);
		expect(store.get(id)).toBe(undefined);
	});

	it('is extended every minute while somebody is connected, and only then', () => {
		const { clock, store, create } = stage();
		const session = create();
		const left = () => session.expiresAt - clock.wall();
		clock.advance(300_000);
		store.presence(session.id, true);
		expect(left()).toBe(600_000);
		clock.advance(59_000);
		expect(left()).toBe(541_000);
		clock.advance(1000);
		expect(left()).toBe(600_000);
		store.presence(session.id, false);
		clock.advance(120_000);
		expect(left()).toBe(480_000);
	});

	it('does not end while somebody is connected, even when told to live shortly', () => {
		const { clock, faults, store, create } = stage();
		faults.set('expires-soon:1000', true);
		const { id } = create();
		store.presence(id, true);
		store.extend(id, 1);
		clock.advance(30_000);
		expect(store.get(id)?.id).toBe(id);
		store.presence(id, false);
		clock.advance(600_000);
		expect(store.get(id)).toBe(undefined);
	});

	it('that cannot be kept ends in its time, joined or not, whoever wants to extend it', () => {
		const { clock, faults, gone, store, create } = stage();
		faults.set('expires-joined:40000', true);
		const { id } = create();
		faults.set('expires-joined', false);
		const other = create();
		expect(store.extend(id, 600)).toBe('extended');
		for (const one of [id, other.id]) store.presence(one, true);
		clock.advance(39_000);
		expect([store.extend(id, 600), store.extend(other.id, 600), store.extend('x', 600)]).toEqual([
			'refused',
			'extended',
			'unknown',
		]);
		expect(gone).toEqual([]);
		clock.advance(1000);
		expect(gone).toEqual([id]);
	});

	it('ends within a minute after its task was ended', () => {
		const { clock, gone, store, create } = stage();
		const { id } = create();
		store.presence(id, true);
		store.ended(id);
		store.presence(id, false);
		clock.advance(60_000);
		expect(gone).toEqual([id]);
	});

	it('frees its place among the ten when it ends', () => {
		const { clock, faults, store, create } = stage();
		for (let count = 0; count < 10; count += 1) create();
		expect(store.create({ intent: 'api', faults })).toEqual({ ok: false, error: 'limit' });
		clock.advance(600_000);
		expect(store.create({ intent: 'api', faults }).ok).toBe(true);
	});

	it('counts deletions, not expiries, and leaves no timer behind', () => {
		const { clock, store, create } = stage();
		expect(store.remove(create().id)).toBe(true);
		create();
		clock.advance(600_000);
		expect(store.counts()).toEqual({ created: 2, deleted: 1 });
		store.close();
		expect(clock.pending).toBe(0);
	});
});
