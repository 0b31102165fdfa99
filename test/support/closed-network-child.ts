/**
 * Inside a network of its own: brings its loopback up and carries TCP through Unix sockets, the only
 * thing that leads out. Arguments: `in:PORT:PATH` (what is listened for here leads to the path) and
 * `out:PORT:PATH` (what comes by the path leads to a port here). Says `ready` on standard output.
 */
import { spawnSync } from 'node:child_process';
import { connect, createServer, type ListenOptions, type NetConnectOpts, type Server } from 'node:net';

spawnSync('ip', ['link', 'set', 'lo', 'up']);

function carry(from: ListenOptions, to: NetConnectOpts): Promise<Server> {
	const server = createServer((near) => {
		const far = connect(to);
		const endBoth = () => {
			near.destroy();
			far.destroy();
		};
		for (const end of [near, far]) end.on('error', endBoth);
		near.pipe(far).pipe(near);
	});
	return new Promise((done) => server.listen(from, () => done(server)));
}

await Promise.all(
	process.argv.slice(2).map((route) => {
		const [way, port = '', path = ''] = route.split(':');
		const here = { host: '127.0.0.1', port: Number(port) };
		return way === 'in' ? carry(here, { path }) : carry({ path }, here);
	}),
);
console.log('ready');
// Ends with its parent.
process.stdin.resume().on('end', () => process.exit(0));
