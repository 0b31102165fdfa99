import type { WindowState } from '#test/support/window-states.ts';

/** A state of the window, and the buttons pressed in it one after another, by their English names. */
export interface Scene {
	readonly state: WindowState;
	readonly press: readonly (string | RegExp)[];
	/** A box clicked after them, so that its list opens. */
	readonly open?: string;
	/** They open a dialog that is loaded only then: it is waited for. */
	readonly dialog?: true;
}

/** What only a press opens; each state of the window is also a scene of its own. */
export const scenes: Readonly<Record<string, Scene>> = {
	'idle-sound-panel': { state: 'idle', press: ['Sound and pace'] },
	'live-sound-panel': { state: 'live', press: ['Sound and pace'] },
	'push-to-talk-typing': { state: 'push-to-talk', press: ['Type instead of speaking'] },
	'face-sound-panel': { state: 'face-setup', press: ['Sound and pace'] },
	'meeting-sound-panel': { state: 'meeting', press: ['Sound and pace'] },
	'stopped-face-sound-panel': { state: 'stopped-face', press: ['Sound and pace'] },
	'listen-live-sound-panel': { state: 'listen-live', press: ['Sound and pace'] },
	'stopped-sound-panel': { state: 'stopped', press: ['Sound and pace'] },
	'type-to-speak-sound-panel': { state: 'typing', press: ['Sound and pace'] },
	'languages-one-more': { state: 'idle', press: ['Add a language'] },
	'languages-list-open': { state: 'idle', press: [], open: 'They hear' },
	'meeting-their-language': { state: 'meeting-detecting', press: [/^Detected: /] },
	'stopped-fresh': { state: 'stopped', press: ['New conversation'] },
	'stopped-fresh-face': { state: 'stopped-face', press: ['New conversation'] },
	'captions-saving': { state: 'stopped', press: ['Save captions'] },
	'captions-copying': { state: 'stopped', press: ['More'] },
	'captions-correcting': { state: 'several', press: [/^Correct a word/], dialog: true },
	'session-extending': { state: 'sessions', press: [/^Extend session/] },
	'glossary-making': { state: 'glossaries', press: ['Make a glossary'] },
	'glossary-changing': { state: 'glossaries', press: [/^Change .*Product names/] },
	'glossary-deleted': { state: 'glossaries', press: [/^Delete .*Product names/] },
	'voice-renaming': { state: 'voices', press: [/^Rename /] },
	'voice-forgetting': { state: 'voices', press: [/^Forget /] },
	'conversation-renaming': { state: 'history', press: [/^Rename /] },
	'session-ending': { state: 'sessions', press: [/^End session/] },
	'conversation-saving': { state: 'history', press: [/^Export /] },
	'conversation-reading-saving': { state: 'history-reading', press: [/^Export/] },
	'conversation-deleted': { state: 'history', press: [/^Delete /] },
	'live-text-size-and-layout': { state: 'live', press: ['Text size and layout'] },
	'live-guests-asked': { state: 'listen-waiting', press: ['Guests…'] },
	'live-guests': { state: 'listen-waiting', press: ['Guests…', 'Start sharing'] },
	'live-asked-before-it-records': { state: 'live', press: ['Record'] },
	'settings-correction-taken-out': { state: 'settings-captions', press: [/^Remove: /] },
	'settings-key': { state: 'settings-account', press: ['Replace'] },
	'settings-forgetting-the-key': { state: 'settings-account', press: ['Forget the key'] },
	'settings-token': { state: 'settings-account', press: ['Enter a token'] },
	'settings-erasing-the-history': { state: 'settings-privacy', press: ['Delete all history'] },
	'settings-sheet-of-shortcuts': { state: 'settings-shortcuts', press: ['Show all shortcuts'] },
};
