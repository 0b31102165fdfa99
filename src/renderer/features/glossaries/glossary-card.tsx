import { useTranslation } from 'react-i18next';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { Switch } from '#renderer/ui/switch.tsx';
import { Tick } from '#renderer/ui/tick.tsx';
import { LanguageLabel } from '#renderer/window/components/language-label.tsx';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { Glossary } from '#shared/host/glossaries.ts';
import { GLOSSARY_KINDS } from '#shared/protocol/glossary.ts';
import styles from './glossaries-page.module.css';

export interface GlossaryCardProps {
	readonly glossary: Glossary;
	/** Whether conversations use it; null = glossaries are not chosen one by one. */
	readonly isUsed: boolean | null;
	/** The service is being asked to switch it. */
	readonly isBusy: boolean;
	readonly onTick: (isUsed: boolean) => void;
	readonly onSwitch: (enabled: boolean) => void;
	readonly onChange: () => void;
	readonly onDelete: () => void;
}

/** One glossary: what it is for, and whether it applies. */
export function GlossaryCard(props: GlossaryCardProps) {
	const { t } = useTranslation();
	const { name, kind, source, target, enabled, entries } = props.glossary;
	const known = GLOSSARY_KINDS.find((one) => one === kind);
	const isPair = target !== '' && target !== source;
	return (
		<li className={page.card}>
			<div className={page.row}>
				<div className={page.facts}>
					<p className={styles.name}>
						<bdi>{name}</bdi>
					</p>
					<p className={styles.about}>
						<span>{known ? t(`glossary.kind.${known}`) : <bdi>{kind}</bdi>}</span>
						{source !== '' && (
							<span>
								<LanguageLabel code={source} />
								{isPair && (
									<>
										{' '}
										<span className={styles.arrow}>→</span> <LanguageLabel code={target} />
									</>
								)}
							</span>
						)}
						{entries !== null && <span>{t('glossary.rows', { count: entries })}</span>}
					</p>
				</div>
				<div className={styles.acts}>
					{props.isUsed !== null && (
						<Tick
							isTicked={props.isUsed}
							onChange={props.onTick}
							label={t('glossary.useIt', { name: isolate(name) })}
						>
							{t('glossary.chosen')}
						</Tick>
					)}
					{enabled !== null && (
						<Switch
							label={t('glossary.on')}
							name={t('glossary.switch', { name: isolate(name) })}
							isOn={enabled}
							isDisabled={props.isBusy}
							onChange={props.onSwitch}
						/>
					)}
					{known && (
						<Button
							look="quiet"
							square
							aria-label={t('glossary.changeNamed', { name: isolate(name) })}
							onPress={props.onChange}
						>
							<Icon name="edit" size={16} />
						</Button>
					)}
					<Button
						look="quiet"
						square
						aria-label={t('glossary.deleteNamed', { name: isolate(name) })}
						onPress={props.onDelete}
					>
						<Icon name="trash" size={16} />
					</Button>
				</div>
			</div>
		</li>
	);
}
