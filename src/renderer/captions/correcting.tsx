import { createContext, type ReactNode, Suspense, useContext, useState } from 'react';
import { lazily } from '#renderer/ui/lazily.ts';
import type { CorrectDialogProps } from './correct-dialog.tsx';

type Asked = Pick<CorrectDialogProps, 'texts' | 'marked'>;

/** Opens the dialog that corrects a word. */
type Correct = (asked: Asked) => void;

const CorrectContext = createContext<Correct>(() => {});

export function useCorrecting(): Correct {
	return useContext(CorrectContext);
}

const CorrectDialog = lazily(async () => (await import('./correct-dialog.tsx')).CorrectDialog);

/** One dialog for all captions below it. */
export function Correcting({ children }: { readonly children: ReactNode }) {
	const [asked, setAsked] = useState<Asked | null>(null);
	return (
		<CorrectContext value={setAsked}>
			{children}
			{asked && (
				<Suspense fallback={null}>
					<CorrectDialog {...asked} onClose={() => setAsked(null)} />
				</Suspense>
			)}
		</CorrectContext>
	);
}
