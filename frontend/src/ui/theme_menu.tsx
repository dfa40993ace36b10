import { useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { IconMenu } from "./icon_menu";

const SCHEMES = [
  { value: "light", label: "theme_light", icon: IconSun },
  { value: "dark", label: "theme_dark", icon: IconMoon },
  { value: "auto", label: "theme_auto", icon: IconDeviceDesktop },
] as const;

export function ThemeMenu() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = SCHEMES.find(({ value }) => value === colorScheme)?.icon ?? IconDeviceDesktop;
  return (
    <IconMenu
      size="lg"
      label={t("theme")}
      icon={<Current size={20} />}
      choices={SCHEMES.map(({ value, label, icon: Icon }) => ({
        label: t(label),
        icon: <Icon size={16} />,
        current: colorScheme === value,
        onClick: () => setColorScheme(value),
      }))}
    />
  );
}
