import { createRouting } from '#main/calls/routing.ts';
import { createPactl } from '#main/calls/sound-server.ts';
import { readProcesses } from '#main/calls/virtual-microphone.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';

const clock = createSystemClock();
/** A program with a virtual microphone: says `ready`, and lives until it is ended. */
const routing = createRouting({
	server: createPactl(clock),
	processes: readProcesses(),
	clock,
	log: silentLogger,
	openGuide: async () => {},
});
const made = await routing.answers['routing.make']();
process.stdout.write(made.ok ? 'ready\n' : `${JSON.stringify(made.error)}\n`);
setInterval(() => {}, 60_000);
