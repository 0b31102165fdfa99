import { expect, test } from 'vitest';
import { parseCombination } from '#shared/keys/combination.ts';
import { portalTrigger } from './portal-keys.ts';

test.each([
	['Mod+Shift+F8', 'CTRL+SHIFT+F8'],
	['Ctrl+Alt+T', 'CTRL+ALT+t'],
	['F24', 'F24'],
	['7', '7'],
	['Mod+?', 'CTRL+question'],
	['Mod+Plus', 'CTRL+plus'],
	['Alt+PageUp', 'ALT+Page_Up'],
	['Home', 'Home'],
	['Mod+Space', 'CTRL+space'],
	['É', null],
])('%s is asked for as %s', (text, trigger) => {
	const combination = parseCombination(text);
	expect(combination && portalTrigger(combination)).toBe(trigger);
});

test('who has both Ctrl and Mod has Ctrl once', () => {
	expect(portalTrigger({ modifiers: ['Ctrl', 'Mod'], key: 'F1' })).toBe('CTRL+F1');
});
