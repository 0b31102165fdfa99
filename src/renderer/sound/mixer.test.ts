import { expect, test, vi } from 'vitest';
import { type Mixer, withSelectedVoice } from './mixer.ts';

const track = (id: string) => ({ id }) as MediaStreamTrack;

test('each other track of the selected language is told once, and the mixer has everything', () => {
	const told: (string | null)[] = [];
	const inner = { setVoice: vi.fn(), selectVoice: vi.fn(), clear: vi.fn() };
	const mixer = withSelectedVoice(inner as unknown as Mixer, (heard) => told.push(heard?.id ?? null));
	const [spanish, german, again] = [track('es'), track('de'), track('es again')];
	mixer.setVoice('es', spanish);
	mixer.selectVoice('de');
	expect(told).toEqual([]);
	mixer.setVoice('de', german);
	mixer.setVoice('de', german);
	mixer.selectVoice('es');
	mixer.setVoice('es', again);
	mixer.setVoice('de', null);
	mixer.setVoice('es', null);
	mixer.setVoice('es', spanish);
	mixer.clear();
	mixer.selectVoice('es');
	expect(told).toEqual(['de', 'es', 'es again', null, 'es', null]);
	expect([inner.setVoice, inner.selectVoice, inner.clear].map(({ mock }) => mock.calls.length)).toEqual([
		7, 3, 1,
	]);
});
