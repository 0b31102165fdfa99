import { expect, test } from 'vitest';
import { createListeners } from './listeners.ts';

test('everyone who listens is told, in the order they came', () => {
	const heard: string[] = [];
	const listeners = createListeners<[string, number]>();
	listeners.listen((what, count) => heard.push(`first ${what} ${count}`));
	listeners.listen((what) => heard.push(`second ${what}`));
	listeners.tell('a', 1);
	expect(heard).toEqual(['first a 1', 'second a']);
});

test('who has left is told nothing; leaving twice is harmless', () => {
	const heard: string[] = [];
	const listeners = createListeners<[]>();
	const leave = listeners.listen(() => heard.push('gone'));
	listeners.listen(() => heard.push('there'));
	leave();
	leave();
	listeners.tell();
	expect(heard).toEqual(['there']);
});

test('who comes while it is told hears the next one only, and who goes then was still told', () => {
	const heard: string[] = [];
	const listeners = createListeners<[]>();
	listeners.listen(() => {
		leave();
		listeners.listen(() => heard.push('late'));
	});
	const leave = listeners.listen(() => heard.push('leaving'));
	listeners.tell();
	expect(heard).toEqual(['leaving']);
	heard.length = 0;
	listeners.tell();
	expect(heard).toEqual(['late']);
});

test('after clear nobody is told', () => {
	const heard: string[] = [];
	const listeners = createListeners<[]>();
	listeners.listen(() => heard.push('once'));
	listeners.clear();
	listeners.tell();
	expect(heard).toEqual([]);
});
