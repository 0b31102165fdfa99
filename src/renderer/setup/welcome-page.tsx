import { useState } from 'react';
import { useStore } from 'zustand';
import { KeyForm } from '#renderer/account/key-form.tsx';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { problemSentence } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon, type IconName, Mark } from '#renderer/ui/icon.tsx';
import { Select } from '#renderer/ui/select.tsx';
import {
	interfaceLanguageFor,
	interfaceLanguageNames,
	interfaceLanguages,
} from '#shared/i18n/interface-languages.ts';
import type { Problem } from '#shared/problem.ts';
import { isPublicService, PUBLIC_NAME, SERVICE_PAGES } from '#shared/service-address.ts';
import styles from './welcome-page.module.css';

/** First run: the choice between an account, this computer and the sandbox. */
export function WelcomePage() {
	const { t } = useTranslation();
	const { account, info, settings } = useParts();
	const apiUrl = useStore(account.store, (view) => view.status.apiUrl);
	const isPublic = isPublicService(apiUrl);
	const service = isPublic ? PUBLIC_NAME : isolate(URL.parse(apiUrl)?.host ?? apiUrl);

	return (
		<main className={styles.page}>
			<div className={styles.inner}>
				<div className={styles.language}>
					<Select
						label={t('settings.interfaceLanguage')}
						labelHidden
						options={interfaceLanguages.map((value) => ({ value, label: interfaceLanguageNames[value] }))}
						value={interfaceLanguageFor(useSetting('interfaceLanguage'), info.locales)}
						onChange={(interfaceLanguage) => void settings.write({ interfaceLanguage })}
					/>
				</div>
				<header className={styles.head}>
					<Mark size={48} />
					<h1>{t('welcome.title')}</h1>
					<p>{t('welcome.lead')}</p>
				</header>
				<div className={styles.ways}>
					<FreeWay service="local" icon="computer" />
					<FreeWay service="sandbox" icon="flask" />
					<section className={styles.way} aria-labelledby="way-key">
						<h2 id="way-key">
							<Icon name="key" size={24} />
							{t('welcome.keyTitle')}
						</h2>
						<p>{t('welcome.keyLead', { service })}</p>
						{isPublic && (
							<div className={styles.pages}>
								<PageOutside page="prices" />
								<PageOutside page="keys" />
							</div>
						)}
						<div className={styles.form}>
							<KeyForm submitLabel={t('welcome.submit')} />
						</div>
					</section>
				</div>
				<p className={styles.privacy}>{t('welcome.privacy')}</p>
			</div>
		</main>
	);
}

/** Opens a page of the service. The button shows the address, so that users know it before opening the page. */
function PageOutside({ page }: { readonly page: keyof typeof SERVICE_PAGES }) {
	const { t } = useTranslation();
	const { host } = useParts();
	return (
		<p>
			{t(`welcome.where.${page}`)}{' '}
			<Button look="quiet" onPress={() => void host.ask('system.open-service-site', { page })}>
				<bdi dir="ltr">{SERVICE_PAGES[page].replace('https://', '')}</bdi>
				<Icon name="outside" size={16} />
				<span className={hidden.hidden}>{t('welcome.inBrowser')}</span>
			</Button>
		</p>
	);
}

/** A choice that needs no account: the interpreter on this computer, or the sandbox. */
function FreeWay({ service, icon }: { readonly service: 'local' | 'sandbox'; readonly icon: IconName }) {
	const { t, i18n } = useTranslation();
	const { account } = useParts();
	// Neither of the two runs until it is chosen.
	const starting = useStore(account.store, ({ status }) => status.sandbox === 'starting');
	const [busy, setBusy] = useState(false);
	const [problem, setProblem] = useState<Problem | null>(null);

	async function choose(): Promise<void> {
		setBusy(true);
		setProblem(null);
		const chosen = await account.choose(service);
		setBusy(false);
		setProblem(chosen.ok ? null : chosen.error);
	}

	return (
		<section className={`${styles.way} ${styles.free}`} aria-labelledby={`way-${service}`}>
			<div>
				<h2 id={`way-${service}`}>
					<Icon name={icon} size={24} />
					{t(`welcome.${service}Title`)}
				</h2>
				{/* An error replaces the description, so that nothing moves. */}
				<div className={styles.lines}>
					{problem ? (
						<p role="alert" className={styles.wrong}>
							{problemSentence(problem, t, i18n.language)}
						</p>
					) : (
						<p>{t(`welcome.${service}Lead`)}</p>
					)}
				</div>
			</div>
			<Button
				large
				look={service === 'local' ? 'primary' : 'plain'}
				isDisabled={busy || starting}
				onPress={() => void choose()}
			>
				{t(`welcome.${service}${busy ? 'Starting' : 'Start'}`)}
			</Button>
		</section>
	);
}
