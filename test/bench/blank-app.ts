/** A program that only opens a window with one button: the least that any desktop app costs. */
import { app, BrowserWindow, session } from 'electron';

const PAGE = `<!doctype html><meta charset="utf-8"><title>Blank</title><main><button elementtiming="start">Start</button></main>
<script>performance.mark('start-usable')</script>`;

process.once('SIGTERM', () => app.exit(0));
session.defaultSession.protocol.handle(
	'app',
	() => new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
);
const window = new BrowserWindow({
	width: 1000,
	height: 760,
	webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false },
});
await window.loadURL('app://dragoman/index.html');
