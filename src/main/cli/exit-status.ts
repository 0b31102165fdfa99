export { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
