import { IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { setLanguage } from "~/i18n";
import { LANGUAGES, ownName } from "~/i18n/language";
import { IconMenu } from "./icon_menu";

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  return (
    <IconMenu
      size="lg"
      label={t("language")}
      icon={<IconLanguage size={20} />}
      choices={LANGUAGES.map((language) => ({
        label: ownName(language),
        lang: language,
        current: i18n.language === language,
        onClick: () => void setLanguage(language),
      }))}
    />
  );
}
