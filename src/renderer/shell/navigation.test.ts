import { expect, test } from 'vitest';
import { createNavigation } from './navigation.ts';

function setUp() {
	const navigation = createNavigation();
	const here = () => {
		const { page, conversation } = navigation.store.getState();
		return conversation === null ? page : `${page} ${conversation}`;
	};
	return { navigation, here };
}

test('Back goes to the page one came from, page by page', () => {
	const { navigation, here } = setUp();
	navigation.go('settings', 'key');
	navigation.go('diagnostics');
	expect(navigation.store.getState().trail.map(({ page }) => page)).toEqual(['live', 'settings']);
	navigation.back();
	expect([here(), navigation.store.getState().place]).toEqual(['settings', null]);
	navigation.back();
	expect(here()).toBe('live');
	navigation.back();
	expect([here(), navigation.store.getState().trail]).toEqual(['live', []]);
});

test('a page that is on the way already is gone back to, so that no way is a circle', () => {
	const { navigation, here } = setUp();
	navigation.go('settings');
	navigation.go('sessions');
	navigation.go('settings', 'key');
	navigation.go('settings', 'addresses');
	expect(navigation.store.getState().place).toBe('addresses');
	navigation.back();
	expect(here()).toBe('live');
});

test('a conversation of the history goes back to where it was opened: the list, or another page', () => {
	const { navigation, here } = setUp();
	navigation.read(null);
	navigation.read('a');
	expect(here()).toBe('history a');
	navigation.back();
	expect(here()).toBe('history');
	navigation.go('live');
	navigation.read('a');
	navigation.back();
	expect(here()).toBe('live');
});

test('the list that is opened from a conversation takes its place on the way', () => {
	const { navigation, here } = setUp();
	navigation.read('a');
	navigation.read(null);
	expect([here(), navigation.store.getState().trail.length]).toEqual(['history', 1]);
	navigation.read(null);
	navigation.back();
	expect(here()).toBe('live');
});

test('a part of the settings stays chosen, and a place is looked for in its own', () => {
	const { navigation } = setUp();
	const section = () => navigation.store.getState().section;
	expect(section()).toBe('general');
	navigation.go('settings');
	navigation.showSection('captions');
	navigation.go('sessions');
	navigation.back();
	expect(section()).toBe('captions');
	navigation.go('live', 'microphone');
	navigation.go('settings');
	expect(section()).toBe('captions');
	const places = [
		'account',
		'key',
		'voice-token',
		'addresses',
		'history',
		'shortcuts',
		'call-route',
	] as const;
	const found = places.map((place) => {
		navigation.go('settings', place);
		return section();
	});
	expect(found).toEqual(['account', 'account', 'account', 'advanced', 'privacy', 'shortcuts', 'sound']);
});

test('the live page is where every way begins', () => {
	const { navigation, here } = setUp();
	navigation.go('settings');
	navigation.go('setup');
	navigation.go('live', 'languages');
	expect([here(), navigation.store.getState().trail]).toEqual(['live', []]);
	navigation.go('voices');
	navigation.showSave(true);
	expect([here(), navigation.store.getState().saving]).toEqual(['live', true]);
});

test('what the history is searched for stays while one reads and looks at other pages, and not when it is opened anew', () => {
	const { navigation, here } = setUp();
	const searched = () => navigation.store.getState().searched;
	navigation.read(null);
	navigation.search('Osaka');
	navigation.read('a');
	expect(searched()).toBe('Osaka');
	navigation.read(null);
	navigation.go('settings', 'history');
	navigation.back();
	expect([here(), searched()]).toEqual(['history', 'Osaka']);
	navigation.go('live');
	navigation.read(null);
	expect(searched()).toBe('');
	navigation.go('live');
	navigation.read('a');
	navigation.search('Kyoto');
	navigation.read(null);
	expect(searched()).toBe('Kyoto');
});
